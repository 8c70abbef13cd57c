package io.holdfast.reservation;

import static io.holdfast.testing.RetryingClient.PATIENCE;
import static io.holdfast.testing.RetryingClient.decided;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.TaskControl;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Redis learns that a value was given back only after Postgres has committed it for sure.
@ExtendWith(RealServers.class)
class ReturnedValueTest {
  private static final String COMMIT = "COMMIT\0";

  private final TestServers servers;
  private final Reservations others;
  private FaultProxy postgres;
  private Service service;
  private Reservations reservations;
  private String type;
  private String confirmed;

  ReturnedValueTest(TestServers servers, Service other) {
    this.servers = servers;
    this.others = new Reservations(Api.of(other).as("other", "hold", "commit"));
  }

  /// The tasks of this instance are stopped, so that the next COMMIT is that of the call. The other
  /// instance runs them.
  @BeforeEach
  void start() {
    postgres = FaultProxy.before(servers.jdbcUrl());
    service = RealServers.start(servers, Map.of("jdbc.url", withPlainCommits(postgres)));
    reservations = new Reservations(Api.of(service));
    type = Reservations.type();
    confirmed = reservations.reserved(type, "alice");
    assertThat(reservations.confirm(confirmed, "user-1").statusCode()).isEqualTo(200);
    var tasks = service.context().getBean(PeriodicTasks.class);
    TaskControl.names(tasks).forEach(name -> TaskControl.stop(tasks, name));
  }

  @AfterEach
  void stop() {
    service.close();
    postgres.close();
  }

  @Test
  void a_value_whose_return_was_not_committed_stays_taken_and_the_retry_frees_it() {
    var token = Api.token();
    postgres.cutAt(COMMIT);

    var lost = reservations.giveBack(confirmed, token);

    assertThat(postgres.isStruck()).isTrue();
    assertIsUnknown(lost);
    assertThat(status()).as("Postgres has rolled back").isEqualTo("SOLD");
    var early = others.reserve(type, "alice");
    assertThat(Reservations.reason(early)).as(early.body()).isEqualTo("ALREADY_RESERVED");
    assertThat(Reservations.status(reservations.find(type + ":alice"))).isEqualTo("confirmed");

    var returned = decided(() -> reservations.giveBack(confirmed, token));
    assertThat(returned.statusCode()).as(returned.body()).isEqualTo(200);
    assertThat(Api.isReplay(returned)).as("the first call did nothing").isFalse();
    assertThat(status()).isEqualTo("FREE");
    assertAnotherGetsTheValue();
  }

  @Test
  void a_value_whose_return_was_committed_is_free_although_the_answer_was_lost() {
    var token = Api.token();
    postgres.dropReplyTo(COMMIT);

    var lost = reservations.giveBack(confirmed, token);

    assertThat(postgres.isStruck()).isTrue();
    assertIsUnknown(lost);
    assertThat(status()).isEqualTo("FREE");
    var returned = decided(() -> reservations.giveBack(confirmed, token));
    assertThat(returned.statusCode()).as(returned.body()).isEqualTo(200);
    assertThat(Api.isReplay(returned)).isTrue();
    assertThat(Rows.of(servers).number("SELECT count(*) FROM reversal WHERE pool = ?", type))
        .isOne();
    assertAnotherGetsTheValue();
  }

  /// The driver sends the word COMMIT each time, and not the name of a prepared statement.
  private String withPlainCommits(FaultProxy proxy) {
    var url = proxy.insteadOf(servers.jdbcUrl());
    return url + (url.contains("?") ? "&" : "?") + "prepareThreshold=0";
  }

  private static void assertIsUnknown(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
    assertThat(Http.json(answer).get("definite").asBoolean()).isFalse();
  }

  /// The relay of the other instance may be the one that tells Redis.
  private void assertAnotherGetsTheValue() {
    Await.until(
        PATIENCE, () -> others.find(type + ":alice").statusCode() == 404 && isFreeInRedis());
    var next = others.reserved(type, "alice");
    assertThat(others.confirm(next, "user-2").statusCode()).isEqualTo(200);
  }

  private boolean isFreeInRedis() {
    var entry = servers.redis(redis -> redis.hget("{p:%s}:meta".formatted(type), "item:alice"));
    return entry != null && !entry.contains(" ");
  }

  private String status() {
    return Rows.of(servers)
        .texts("SELECT status FROM item WHERE pool = ? AND item = 'alice'", type)
        .getFirst();
  }
}
