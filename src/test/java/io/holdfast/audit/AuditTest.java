package io.holdfast.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The auditor reads only the records, reports no violation in sound ones, and reports the
/// violations in others.
@ExtendWith(RealServers.class)
class AuditTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Test
  @Requirement({"IR-GA-2", "IR-GA-3", "IR-GA-6", "PC-ADV-1", "IR-INV-5"})
  void holds_sales_and_retries_violate_no_check(Service service) {
    var api = Api.of(service);
    var pool = api.pool(4);
    var token = Api.token();
    for (var retry = 0; retry < 3; retry++) {
      api.place(pool, token, "anna", "A-1", "A-2");
    }
    api.place(pool, Api.token(), "berta", "A-2");
    var hold = api.hold(pool, "berta", "A-3");
    api.release(hold.id(), Api.token(), "berta");
    var sold = api.hold(pool, "carl", "A-3", "A-4");
    var paying = Api.token();
    for (var retry = 0; retry < 3; retry++) {
      assertThat(api.confirm(sold, paying, "carl", "order-1").statusCode()).isEqualTo(200);
    }
    api.confirm(sold, Api.token(), "carl", "order-2");
    Await.until(PATIENCE, () -> examined(api, "PC-INV-3") >= 5);

    var report = report(api);

    assertThat(report.get("ok").asBoolean()).as(report.toPrettyString()).isTrue();
    for (var check : report.get("checks")) {
      assertThat(check.get("violations").asLong()).as(check.toString()).isZero();
      assertThat(check.get("sql").asText()).isNotBlank();
    }
    for (var id : List.of("IR-INV-3", "IR-INV-7", "P2", "P1", "P5", "P6", "DRIFT-8")) {
      assertThat(examined(api, id)).as(id).isPositive();
    }
    assertThat(examined(api, "P1")).isGreaterThanOrEqualTo(2);
  }

  @Test
  @Requirement("IR-GA-2")
  void every_invariant_and_promise_that_records_can_show_is_checked(Service service) {
    var ids = new HashSet<String>();
    report(Api.of(service)).get("checks").forEach(check -> ids.add(check.get("id").asText()));

    for (var n = 1; n <= 10; n++) {
      assertThat(ids).contains("PC-INV-" + n);
      assertThat(n > 8 || ids.contains("IR-INV-" + n)).as("IR-INV-" + n).isTrue();
      assertThat(n > 9 || ids.contains("P" + n)).as("P" + n).isTrue();
      assertThat(n > 4 || ids.contains("DP-INV-" + n)).as("DP-INV-" + n).isTrue();
    }
    assertThat(ids).contains("DRIFT-REDIS", "RS-ID-4");
  }

  @Test
  @Requirement({"IR-CF-07", "IR-GA-5"})
  void an_auditor_reads_what_was_configured(Service service) {
    var configuration = report(Api.of(service)).get("configuration");

    assertThat(configuration.get("idempotencyWindowSeconds").asInt()).isEqualTo(60);
    assertThat(configuration.get("holdWindowSeconds").asInt()).isEqualTo(600);
    assertThat(configuration.get("commitWindowSeconds").asInt()).isEqualTo(86_400);
    assertThat(configuration.get("tokenMaxLength").asInt()).isEqualTo(256);
    assertThat(configuration.get("digestFunction").asText()).isEqualTo("1.2");
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
