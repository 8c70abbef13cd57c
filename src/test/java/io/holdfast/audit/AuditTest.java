package io.holdfast.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The auditor looks at the records alone, finds nothing where nothing is wrong, and finds what is.
@ExtendWith(RealServers.class)
class AuditTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Test
  @Requirement({"IR-GA-2", "IR-GA-3", "IR-GA-4", "IR-GA-6", "IR-ADV-2"})
  void a_life_of_holds_and_retries_leaves_nothing_to_find(Service service) {
    var api = Api.of(service);
    var pool = api.pool(4);
    var token = Api.token();
    for (var retry = 0; retry < 3; retry++) {
      api.place(pool, token, "anna", "A-1", "A-2");
    }
    api.place(pool, Api.token(), "berta", "A-2");
    var hold = api.hold(pool, "berta", "A-3");
    api.release(hold.id(), Api.token(), "berta");
    Await.until(PATIENCE, () -> examined(api, "PC-INV-3") > 0);

    var report = report(api);

    assertThat(report.get("ok").asBoolean()).as(report.toPrettyString()).isTrue();
    for (var check : report.get("checks")) {
      assertThat(check.get("violations").asLong()).as(check.toString()).isZero();
      assertThat(check.get("sql").asText()).startsWith("SELECT");
    }
    assertThat(examined(api, "IR-INV-3")).isGreaterThanOrEqualTo(4);
  }

  @Test
  @Requirement("IR-INV-3")
  void a_token_with_two_holds_is_found(Service service, TestServers servers) throws SQLException {
    var api = Api.of(service);
    try (var connection = servers.connection();
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (var hold = 1; hold <= 2; hold++) {
        statement.executeUpdate(
            """
            INSERT INTO journal (pool, recorded_at, stream_seq, epoch, happened_at, action, caller,
                                 token, digest, window_ms, word, fence, hold_id, detail)
            VALUES ('forged', now(), %d, 1, now(), 'place_hold', 'shop', 'twice', '1:x', 60000,
                    'HELD', %d, 'forged~%d', '')
            """
                .formatted(hold, hold, hold));
      }
      var rows = statement.executeQuery(Checks.ALL.get(2).sql());
      rows.next();

      assertThat(Checks.ALL.get(2).id()).isEqualTo("IR-INV-3");
      assertThat(rows.getLong(2)).isEqualTo(1);
      connection.rollback();
    }
    assertThat(report(api).get("ok").asBoolean()).isTrue();
  }

  @Test
  @Requirement({"IR-CF-07", "IR-GA-5"})
  void an_auditor_reads_what_was_configured(Service service) {
    var configuration = report(Api.of(service)).get("configuration");

    assertThat(configuration.get("idempotencyWindowSeconds").asInt()).isEqualTo(60);
    assertThat(configuration.get("tokenMaxLength").asInt()).isEqualTo(256);
    assertThat(configuration.get("digestFunction").asText()).isEqualTo("1");
    assertThat(configuration.get("tokenFormat").asText()).contains("opaque");
  }

  @Test
  void the_report_is_for_auditors(Service service) {
    var seller = Api.of(service).as("seller", "hold", "operate");

    assertThat(seller.get("/v1/audit/report").statusCode()).isEqualTo(403);
  }

  private static long examined(Api api, String id) {
    for (var check : report(api).get("checks")) {
      if (check.get("id").asText().equals(id)) {
        return check.get("examined").asLong();
      }
    }
    throw new AssertionError("no check " + id);
  }

  private static JsonNode report(Api api) {
    var answer = api.get("/v1/audit/report");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return Http.json(answer);
  }
}
