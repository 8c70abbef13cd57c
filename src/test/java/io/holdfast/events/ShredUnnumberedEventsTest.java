package io.holdfast.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.events.privacy.DataSubject;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.TaskControl;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A shredding covers all events committed before it, with or without a number.
@ExtendWith(RealServers.class)
class ShredUnnumberedEventsTest {

  @Test
  void an_event_without_a_number_is_shredded_too(Service service) {
    var tasks = service.context().getBean(PeriodicTasks.class);
    TaskControl.stop(tasks, "event-dispatch"); // stops the numbering
    service
        .context()
        .getBean(Transactions.class)
        .write(
            connection -> {
              new EventWriter().append(connection, List.of(anEventOf("jana")));
              return 0;
            });
    var api = Api.of(service);
    api.createPool("arena", List.of("A-1"), "{}");

    var report = Http.json(api.post("/v1/subjects/jana/shred", Api.token(), "{}"));

    assertThat(report.path("events").asInt()).as(report.toString()).isEqualTo(1);
    assertThat(api.get("/v1/pools/arena/events").body())
        .doesNotContain("jana")
        .contains("__redacted");
  }

  private static Event anEventOf(String requester) {
    var commitment = new HashMap<>(FatEventTest.aCommitment());
    commitment.put("requester", requester);
    var person = new DataSubject("operator", requester);
    var fields = List.copyOf(commitment.keySet());
    var embedded = Event.embedEntity(commitment, fields, person, Set.of("requester"));
    var data = FatEventTest.voided(embedded).data();
    return new Event(EventType.COMMITMENT_VOIDED, new PoolName("arena"), "h", data);
  }
}
