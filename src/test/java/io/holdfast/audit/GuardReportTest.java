package io.holdfast.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.hold.HoldService;
import io.holdfast.postgres.TestSchema;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Folders;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Stock;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Only auditors can list the entries of guards.
@ExtendWith(RealServers.class)
class GuardReportTest {
  private static final String PATH = "/v1/audit/duplicates";
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static Api api;
  private static TestSchema schema;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    api = Api.of(service);
    schema = new TestSchema(servers);
  }

  @Test
  @Requirement({"H-5", "IR-INV-6"})
  void only_the_tables_of_tokens_protect_commits_with_exact_matching_and_closed() {
    var guards = new ArrayList<JsonNode>();
    Http.json(api.get(PATH)).get("guards").forEach(guards::add);

    var committing = guards.stream().filter(guard -> guard.get("commits").asBoolean()).toList();

    assertThat(committing)
        .extracting(
            guard ->
                guard.get("guard").asText()
                    + " by "
                    + guard.get("keptBy").asText()
                    + " for "
                    + guard.get("windowMs").asLong()
                    + ", of sales for "
                    + guard.get("commitWindowMs").asLong())
        .containsExactly(
            "tokens by token_result for 600000, of sales for 86400000",
            "requests by request_result for 60000, of sales for 86400000");
    assertThat(committing)
        .allMatch(guard -> guard.get("matching").asText().equals("EXACT"))
        .allMatch(guard -> guard.get("whenAway").asText().equals("CLOSED"));
    assertThat(guards.stream().filter(guard -> !guard.get("commits").asBoolean()))
        .isNotEmpty()
        .allMatch(guard -> guard.get("keptBy").asText().equals("DuplicateGuard"))
        .allMatch(guard -> guard.get("commitWindowMs").isNull());
  }

  @Test
  @Requirement("DP-OU-2")
  void the_keys_of_other_routes_are_shown_as_hashes() {
    api.post("/v1/keys", "a-key-of-mine", "{\"caller\":\"till\",\"scopes\":[\"hold\"]}");

    var seen = api.get(PATH + "?guard=requests");

    assertThat(seen.body()).doesNotContain("a-key-of-mine");
    assertThat(Http.json(seen).get("recorded").findValuesAsText("identity"))
        .anyMatch(identity -> identity.matches("create_key operator [0-9a-f]{64}"));
  }

  /// Tokens that differ in one byte are two.
  @Test
  @Requirement("IR-ST-11")
  void one_instance_places_holds_and_one_keeps_tokens_by_their_bytes_for_the_window(Service service)
      throws SQLException {
    var window = 77;
    var pool = api.pool(1, "{\"idempotencyWindowSeconds\":" + window + "}");
    for (var token : List.of("Token-1", "token-1", "token-1.")) {
      api.place(pool, token, "ann", "A-1");
    }
    Await.until(PATIENCE, () -> entries(pool).size() == 3);

    assertThat(service.context().getBeansOfType(HoldService.class)).hasSize(1);
    assertThat(schema.texts(KEPT)).as("the tables that keep tokens of holds").hasSize(1);
    assertThat(entries(pool)).hasSize(3).allMatch(entry -> entry.endsWith(" " + window));
  }

  private static final String KEPT =
      """
      SELECT c.relname FROM pg_index i
        JOIN pg_class c ON c.oid = i.indrelid
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
       WHERE i.indisprimary AND NOT c.relispartition AND a.attname = 'token'
         AND EXISTS (SELECT 1 FROM pg_attribute o
                      WHERE o.attrelid = c.oid AND o.attname = 'outcome')
      """;

  private static List<String> entries(String pool) throws SQLException {
    return schema.texts(
        """
        SELECT encode(token, 'escape') || ' ' || extract(epoch FROM window_until - recorded_at)::int
          FROM token_result WHERE pool = '%s'
        """
            .formatted(pool));
  }

  @Test
  @Requirement({"DP-OU-2", "DP-ST-1", "DP-ST-2"})
  void tokens_are_shown_with_their_moments_page_by_page_while_they_are_in_their_window()
      throws SQLException {
    var pool = api.pool(1, "{\"idempotencyWindowSeconds\":600}");
    var placed = api.place(pool, "look-1", "ann", "A-1");
    api.place(pool, "look-2", "ben", "A-1");
    api.place(pool, "look-3", "eve", "A-1");
    Await.until(PATIENCE, () -> shown(pool).size() == 3);
    schema.execute(
        "UPDATE token_result SET window_until = clock_timestamp() WHERE token = 'look-2'");

    var entries = shown(pool);

    assertThat(entries).hasSize(2);
    var entry = entries.getFirst();
    assertThat(entry.get("identity").asText()).isEqualTo(pool + " operator look-1");
    assertThat(entry.get("recordedAt").asText())
        .isEqualTo(Http.json(placed).get("placedAt").asText());
    assertThat(Api.time(placed, "placedAt").plusSeconds(600))
        .isEqualTo(Instant.parse(entry.get("until").asText()));
  }

  @Test
  void guessed_keys_are_guarded_but_not_readable() {
    var thief = new Api(api.base(), "guess-of-a-thief");
    Await.until(
        PATIENCE,
        () -> {
          thief.read("h");
          return !Http.json(api.get(PATH + "?guard=unknown-keys")).get("recorded").isEmpty();
        });

    var seen = api.get(PATH + "?guard=unknown-keys");

    assertThat(seen.body()).doesNotContain("guess-of-a-thief");
    assertThat(Http.get(api.base(), "/prometheus").body())
        .contains("holdfast_guard_misses_total{guard=\"unknown-keys\"} 0");
  }

  /// The query is that of docs/audit.md.
  @Test
  @Requirement("IR-ADV-1")
  void the_records_show_whether_two_charges_were_one_request() throws Exception {
    var pool = api.pool(1);
    var charges = query().replace(":pool", "'" + pool + "'");
    var answers = Together.run(8, _ -> api.place(pool, "charge-1", "ann", "A-1"));
    api.release(Api.Hold.of(answers.getFirst()).id(), Api.token(), "ann");
    bringJournalToPostgres(pool);
    assertThat(schema.texts(charges)).as("of eight equal requests").isEmpty();

    api.hold(pool, "ann", "A-1");
    bringJournalToPostgres(pool);

    assertThat(schema.texts(charges)).containsExactly("two requests");
    repeatHold(pool, "charge-1");
    assertThat(schema.texts(charges)).contains("ONE REQUEST");
  }

  /// Units have no names before their sale, so two holds of them never overlap.
  @Test
  @Requirement("IR-ADV-1")
  void the_records_show_the_same_of_two_quantities() throws Exception {
    var stock = Stock.of(api, 10);
    var charges = query().replace(":pool", "'" + stock.pool() + "'");
    Together.run(8, _ -> stock.place("charge-2", "ann", 2));
    bringJournalToPostgres(stock.pool());
    assertThat(schema.texts(charges)).as("of eight equal requests").isEmpty();

    stock.hold("ann", 3);
    bringJournalToPostgres(stock.pool());

    assertThat(schema.texts(charges)).containsExactly("two requests");
    repeatHold(stock.pool(), "charge-2");
    assertThat(schema.texts(charges)).contains("ONE REQUEST");
  }

  @Test
  @Requirement("IR-ADV-1")
  void holds_that_follow_each_other_after_the_window_are_two_by_their_tokens() throws Exception {
    var pool = api.pool(1, "{\"idempotencyWindowSeconds\":1}");
    var first = api.place(pool, "month-1", "ann", "A-1");
    api.release(Api.Hold.of(first).id(), Api.token(), "ann");
    Await.moment(Api.time(first, "placedAt").plusSeconds(1));

    var second = api.place(pool, "month-2", "ann", "A-1");
    bringJournalToPostgres(pool);

    assertThat(schema.texts(query().replace(":pool", "'" + pool + "'"))).isEmpty();
    assertThat(
            schema.texts(
                "SELECT hold_id || ' ' || encode(token, 'escape') FROM hold WHERE pool = '%s'"
                        .formatted(pool)
                    + " ORDER BY fence"))
        .containsExactly(
            Api.Hold.of(first).id() + " month-1", Api.Hold.of(second).id() + " month-2");
  }

  /// As if one request had placed two holds. The units of a hold are named after its fence.
  private static void repeatHold(String pool, String token) throws SQLException {
    schema.execute(
        """
        SET session_replication_role = replica;
        INSERT INTO hold SELECT (jsonb_populate_record(h, jsonb_build_object(
            'hold_id', h.hold_id || 'x', 'fence', h.fence + 1000,
            'items', (SELECT array_agg(replace(item, h.fence::text, (h.fence + 1000)::text))
                        FROM unnest(h.items) AS item)))).*
          FROM hold h WHERE pool = '%s' AND token = '%s'
        """
            .formatted(pool, token));
  }

  private static void bringJournalToPostgres(String pool) {
    api.get("/v1/pools/" + pool + "/holds");
  }

  @Test
  @Requirement("DP-OU-2")
  void a_caller_without_the_audit_scope_is_refused() {
    var shop = api.as("shop", "hold", "commit", "operate");

    assertThat(shop.get(PATH).statusCode()).isEqualTo(403);
    assertThat(Http.get(api.base(), PATH).statusCode()).isEqualTo(401);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "?guard=none",
        "?after=-1",
        "?after=1000001",
        "?after=x",
        "?limit=0",
        "?limit=501"
      })
  void what_makes_no_sense_is_refused(String query) {
    assertThat(api.get(PATH + query).statusCode()).isEqualTo(400);
  }

  private static String query() throws IOException {
    var text = Files.readString(Folders.project().resolve("docs/audit.md"));
    var start = text.indexOf("```sql\n", text.indexOf("## Every double charge")) + 7;
    return text.substring(start, text.indexOf("```", start));
  }

  /// All entries of a pool, over all pages of two entries each.
  private static List<JsonNode> shown(String pool) {
    var found = new ArrayList<JsonNode>();
    var path = PATH + "?limit=2";
    while (!path.isEmpty()) {
      var answer = api.get(path);
      for (var entry : Http.json(answer).get("recorded")) {
        if (entry.get("identity").asText().startsWith(pool)) {
          found.add(entry);
        }
      }
      path = next(answer);
    }
    return found;
  }

  private static String next(HttpResponse<String> answer) {
    return answer
        .headers()
        .firstValue("Link")
        .map(link -> link.replaceFirst("^<(.*)>; rel=\"next\"$", "$1"))
        .orElse("");
  }
}
