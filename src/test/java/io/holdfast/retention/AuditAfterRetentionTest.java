package io.holdfast.retention;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.audit.AuditReports;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// After old records were dropped, the auditor proves what is left, and says since when.
@ExtendWith(RealServers.class)
class AuditAfterRetentionTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /// Makes all records 200 days older, those in the texts of the journal as well.
  private static final String AGE =
      """
      SET session_replication_role = replica;
      DO $$
      DECLARE
          age    interval := '200 days';
          age_ms bigint := extract(epoch FROM age) * 1000;
          moment record;
      BEGIN
          EXECUTE format('CREATE TABLE journal_old PARTITION OF journal FOR VALUES FROM (%L) TO (%L)',
                         date_trunc('month', now() - age), date_trunc('month', now() - age) + interval '2 months');
          UPDATE journal SET detail = (
                 SELECT string_agg(CASE WHEN n IN (6, 7, 8, 10) AND field <> ''
                                        THEN (field::bigint - age_ms)::text ELSE field END,
                                   E'\\t' ORDER BY n)
                   FROM unnest(string_to_array(detail, E'\\t')) WITH ORDINALITY AS fields (field, n))
           WHERE hold_id IS NOT NULL;
          DELETE FROM token_result;
          FOR moment IN
              SELECT table_name, string_agg(format('%1$I = %1$I - %2$L::interval', column_name, age), ', ') AS changes
                FROM information_schema.columns
               WHERE table_schema = 'public' AND data_type = 'timestamp with time zone'
                 AND table_name IN ('journal', 'hold', 'attempt', 'event', 'commitment', 'auction',
                                    'consumed_request', 'verification', 'checkout')
               GROUP BY table_name
          LOOP
              EXECUTE format('UPDATE %I SET %s', moment.table_name, moment.changes);
          END LOOP;
      END
      $$
      """;

  @Requirement({"AU-21", "PC-INV-10", "IR-GA-1", "IR-GA-5"})
  @Test
  void the_auditor_proves_what_is_left_and_names_the_horizon(TestServers servers, Service service)
      throws SQLException {
    var api = Api.of(service);
    var pool = api.pool(6);
    var sold = trade(api, pool);
    var released = api.hold(pool, "berta", "A-3");
    api.release(released.id(), Api.token(), "berta");
    var undone = api.hold(pool, "carl", "A-4");
    api.release(undone.id(), Api.token(), "carl");
    auction(api);
    awaitDrained(servers);
    checkout(servers, undone);
    awaitDrained(servers);
    execute(servers, AGE);
    var young = api.hold(pool, "emil", "A-5");
    api.release(young.id(), Api.token(), "emil");
    awaitDrained(servers);
    lateLineOfItsEnd(servers, released);
    assertClean(report(api));
    assertThat(report(api).at("/configuration/recordsSince").isNull()).isTrue();

    service.context().getBean(Retention.class).run();
    execute(servers, "INSERT INTO journal SELECT * FROM late_lines");

    var report = report(api);
    assertClean(report);
    var since = report.at("/configuration/recordsSince").asText();
    assertThat(Instant.parse(since)).isBefore(Instant.now().minus(Duration.ofDays(90)));
    assertThat(report.at("/configuration/journalKeepSeconds").asLong()).isEqualTo(90 * 86_400);
    assertThat(limitedChecks(report, since))
        .contains("PC-INV-10", "PC-INV-2", "P4", "IR-INV-1", "IR-INV-8", "BR-Q-2", "OUTBOX")
        .contains("IR-INV-5", "P3", "PC-INV-1", "PC-INV-7", "PC-INV-8")
        .doesNotContain("P1", "P5", "P6", "P7", "DRIFT-8", "PC-ADV-1");
    assertThat(service.context().getBean(AuditReports.class).createFromRecords().table())
        .contains("Older records than " + since + " were dropped");
    assertThat(Http.json(api.read(sold.id())).get("state").asText()).isEqualTo("CONFIRMED");
    assertThat(words(api, sold))
        .contains(
            "hold PLACED",
            "attempt CONFIRMED",
            "commitment SOLD",
            "hold CONFIRMED",
            "verification PASSED")
        .doesNotContain("journal HELD");
    assertThat(api.read(released.id()).statusCode()).isEqualTo(404);
    assertThat(api.read(undone.id()).statusCode()).isEqualTo(200);
    assertThat(api.read(young.id()).statusCode()).isEqualTo(200);
  }

  private static Hold trade(Api api, String pool) {
    var sold = api.hold(pool, "anna", "A-1", "A-2");
    assertThat(api.place(pool, Api.token(), "dora", "A-1").statusCode()).isEqualTo(409);
    assertThat(api.confirm(sold, Api.token(), "anna", "order-1").statusCode()).isEqualTo(200);
    return sold;
  }

  /// The second bid loses, and its hold may go.
  private static void auction(Api api) {
    var closesAt = Instant.now().plus(Duration.ofHours(1));
    api.post(
        "/v1/pools",
        Api.token(),
        "{\"pool\":\"lot\",\"kind\":\"AUCTION\",\"closesAt\":\"%s\",\"reserveCents\":1}"
            .formatted(closesAt));
    for (var bidder : List.of("first", "second")) {
      var body = "{\"requester\":\"%s\",\"amountCents\":500}".formatted(bidder);
      assertThat(api.post("/v1/pools/lot/bids", Api.token(), body).statusCode()).isEqualTo(201);
    }
    assertThat(api.post("/v1/pools/lot/close", Api.token(), "{}").body()).contains("first");
  }

  /// All events have their numbers, and Redis knows of all ends.
  private static void awaitDrained(TestServers servers) {
    var rows = Rows.of(servers);
    Await.until(
        PATIENCE,
        () ->
            rows.number("SELECT count(*) FROM hold WHERE state = 'HELD'") == 0
                && rows.number("SELECT count(*) FROM outbox") == 0
                && rows.number("SELECT count(*) FROM event_fresh") == 0
                && rows.number(
                        "SELECT count(*) FROM hold h WHERE NOT EXISTS (SELECT 1 FROM journal j"
                            + " WHERE j.pool = h.pool AND j.hold_id = h.hold_id"
                            + " AND j.word = h.state::text)"
                            + " AND h.placed_at > now() - interval '1 day'")
                    == 0);
  }

  /// The hold of a checkout that was undone stays, although its lines and its event go.
  private static void checkout(TestServers servers, Hold undone) throws SQLException {
    execute(
        servers,
        """
        INSERT INTO checkout (pool, checkout_id, saga, caller, requester, hold_id, fence, provider,
                              method, amount_cents, currency, phase, lease_until, ended_at)
        SELECT pool, 'c', 'checkout', caller, requester, hold_id, fence, 'p', 'm', 0, 'EUR',
               'COMPENSATED', now(), now() FROM hold WHERE hold_id = '%1$s';
        INSERT INTO event_fresh (pool, type, subject, data)
        SELECT pool, 'checkout.compensated', 'c', '{}' FROM hold WHERE hold_id = '%1$s'
        """
            .formatted(undone.id()));
  }

  private static void execute(TestServers servers, String sql) throws SQLException {
    try (var connection = servers.connection();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /// A line that was drained after 200 days, and lines that come after their partition was dropped.
  private static void lateLineOfItsEnd(TestServers servers, Hold released) throws SQLException {
    execute(
        servers,
        """
        CREATE TABLE late_lines AS SELECT * FROM journal WHERE hold_id = '%1$s';
        INSERT INTO journal
        SELECT (jsonb_populate_record(j, jsonb_build_object('recorded_at', now()))).*
          FROM journal j WHERE hold_id = '%1$s' AND word = 'RELEASED'
        """
            .formatted(released.id()));
  }

  private static void assertClean(JsonNode report) {
    var violated = new ArrayList<String>();
    for (var check : report.get("checks")) {
      if (check.get("violations").asLong() > 0) {
        violated.add(check.get("id").asText());
      }
    }
    assertThat(violated).isEmpty();
    assertThat(report.get("ok").asBoolean()).isTrue();
  }

  private static HashSet<String> limitedChecks(JsonNode report, String since) {
    var limited = new HashSet<String>();
    for (var check : report.get("checks")) {
      if (check.path("recordsSince").asText().equals(since)) {
        limited.add(check.get("id").asText());
      }
    }
    return limited;
  }

  private static JsonNode report(Api api) {
    var answer = api.get("/v1/audit/report");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return Http.json(answer);
  }

  private static List<String> words(Api api, Hold hold) {
    var steps = Http.json(api.get("/v1/audit/holds/" + hold.id())).findPath("steps");
    var words = new ArrayList<String>();
    steps.forEach(step -> words.add(step.get("source").asText() + " " + step.get("word").asText()));
    return words;
  }
}
