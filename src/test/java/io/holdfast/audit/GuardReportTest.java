package io.holdfast.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.postgres.TestSchema;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Folders;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
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
  @Requirement({"IR-ST-11", "H-5", "IR-INV-6"})
  void one_guard_protects_commits_with_the_token_window_exact_matching_and_closed() {
    var guards = new ArrayList<JsonNode>();
    Http.json(api.get(PATH)).get("guards").forEach(guards::add);

    var committing = guards.stream().filter(guard -> guard.get("commits").asBoolean()).toList();

    assertThat(committing).hasSize(1);
    assertThat(committing.getFirst().get("guard").asText()).isEqualTo("tokens");
    assertThat(committing.getFirst().get("windowMs").asLong()).isEqualTo(60_000);
    assertThat(committing.getFirst().get("matching").asText()).isEqualTo("EXACT");
    assertThat(committing.getFirst().get("whenAway").asText()).isEqualTo("CLOSED");
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
    var answers = Together.run(8, _ -> api.place(pool, "charge-1", "ann", "A-1"));
    api.release(Api.Hold.of(answers.getFirst()).id(), Api.token(), "ann");
    api.hold(pool, "ann", "A-1");
    api.get("/v1/pools/" + pool + "/holds"); // brings the journal to Postgres
    var query = query().replace(":pool", "'" + pool + "'");

    assertThat(schema.texts(query)).containsExactly("two requests");
    schema.execute(
        """
        SET session_replication_role = replica;
        INSERT INTO hold SELECT (jsonb_populate_record(h, jsonb_build_object(
            'hold_id', h.hold_id || 'x', 'fence', h.fence + 1000))).*
          FROM hold h WHERE pool = '%s' AND token = 'charge-1'
        """
            .formatted(pool));
    assertThat(schema.texts(query)).contains("ONE REQUEST");
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
