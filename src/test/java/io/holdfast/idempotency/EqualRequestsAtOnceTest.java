package io.holdfast.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import io.holdfast.testing.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Equal requests that reach two instances at the same time are executed once. The instances share
/// only their servers.
@ExtendWith(RealServers.class)
@Tag("cluster")
class EqualRequestsAtOnceTest {
  private static final int REQUESTS = 1_000;
  private static final int CALLERS = 100;

  private static Service second;
  private static List<Api> instances;
  private static Records records;

  @BeforeAll
  static void open(TestServers servers, Service first) {
    second = RealServers.start(servers, Map.of());
    instances = List.of(Api.of(first), Api.of(second));
    records = new Records(servers, instances.getFirst());
  }

  @AfterAll
  static void close() {
    second.close();
  }

  @Test
  @Requirement({"IR-INV-9", "IR-INV-3", "IR-EC-08", "IR-EC-09", "IR-EC-01"})
  void a_thousand_equal_requests_are_one_hold_and_a_thousand_equal_answers() {
    var pool = instances.getFirst().pool(1);
    var header = "Idempotency-Key: " + Api.token();
    var body = "{\"requester\":\"ann\",\"items\":[\"A-1\"]}";
    var wires = new ArrayList<Wire>();
    for (var i = 0; i < REQUESTS; i++) {
      wires.add(Wire.to(instances.get(i % 2).base()));
    }

    for (var i = 0; i < REQUESTS; i++) {
      wires.get(i).write(Wire.place(instances.get(i % 2), pool, body, header));
    }
    var answers = wires.stream().map(Wire::read).toList();
    wires.forEach(Wire::close);

    assertThat(answers.stream().map(a -> a.status() + a.body()).distinct()).hasSize(1);
    assertThat(answers.getFirst().status()).isEqualTo(201);
    assertThat(answers.stream().filter(a -> !a.headers().containsKey("idempotent-replayed")))
        .hasSize(1);
    assertThat(records.holds(pool)).isEqualTo(1);
    assertThat(records.words(pool)).containsOnlyOnce("HELD").doesNotContain("SAME", "TAKEN");
  }

  @Test
  @Requirement({"IR-EC-01", "IR-EC-08", "IR-EC-09", "IR-INV-1"})
  void equal_requests_that_are_refused_are_refused_once() {
    var pool = instances.getFirst().pool(1);
    var token = Api.token();
    instances.getFirst().hold(pool, "ben", "A-1");

    var answers = Together.run(CALLERS, i -> api(i).place(pool, token, "ann", "A-1"));

    assertThat(answers.stream().map(a -> a.statusCode() + a.body()).distinct()).hasSize(1);
    assertThat(answers.getFirst().statusCode()).isEqualTo(409);
    assertThat(answers.stream().filter(answer -> !Api.isReplay(answer))).hasSize(1);
    assertThat(records.words(pool)).containsOnlyOnce("TAKEN");
  }

  @Test
  @Requirement({"IR-EC-01", "IR-EC-08", "IR-EC-09", "IR-AW-12"})
  void equal_releases_end_a_hold_once_and_get_equal_answers() {
    var pool = instances.getFirst().pool(1);
    var token = Api.token();
    var hold = instances.getFirst().hold(pool, "ann", "A-1");

    var answers = Together.run(CALLERS, i -> api(i).release(hold.id(), token, "ann"));

    assertThat(answers.stream().map(a -> a.statusCode() + a.body()).distinct()).hasSize(1);
    assertThat(answers.getFirst().statusCode()).isEqualTo(200);
    assertThat(answers.stream().filter(answer -> !Api.isReplay(answer))).hasSize(1);
    assertThat(records.words(pool)).containsOnlyOnce("RELEASED").doesNotContain("NOT_HELD");
  }

  @Test
  @Requirement({"IR-EC-01", "IR-INV-4"})
  void a_caller_may_change_instances_between_any_two_calls() {
    var pool = instances.getFirst().pool(2);
    var token = Api.token();
    var ending = Api.token();
    var placed = api(0).place(pool, token, "ann", "A-1");
    var id = Api.Hold.of(placed).id();

    var replay = api(1).place(pool, token, "ann", "A-1");
    var other = api(1).place(pool, token, "ann", "A-2");
    var read = api(1).read(id);
    var released = api(1).release(id, ending, "ann");
    var again = api(0).release(id, ending, "ann");

    assertThat(replay.body()).isEqualTo(placed.body());
    assertThat(other.statusCode()).isEqualTo(422);
    assertThat(read.body()).isEqualTo(placed.body());
    assertThat(again.body()).isEqualTo(released.body());
    assertThat(Http.json(api(0).read(id)).get("state").asText()).isEqualTo("RELEASED");
  }

  private static Api api(int number) {
    return instances.get(number % 2);
  }
}
