package io.holdfast.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.postgres.TestSchema;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.RedisTokens;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The tokens of the service keep the promise of a guard without being guards (decision 16): a
/// token is seen from the first call until its window ends.
@ExtendWith(RealServers.class)
class GuardedTokensTest {
  private static TestServers servers;
  private static Api api;
  private static Records records;

  @BeforeAll
  static void open(TestServers given, Service service) {
    servers = given;
    api = Api.of(service);
    records = new Records(given, api);
  }

  @Test
  @Requirement({"IR-INV-6", "IR-ST-09", "DP-EC-03"})
  void the_entry_of_a_hold_is_written_once_and_not_extended_by_repetitions() {
    var pool = api.pool(1);
    var token = Api.token();
    api.place(pool, token, "ann", "A-1");
    var tokens = new RedisTokens(servers, pool);
    tokens.age(token, Duration.ofSeconds(20)); // a third of the window has passed
    var entry = tokens.entry(token);
    var first = api.place(pool, token, "ann", "A-1");

    for (var i = 0; i < 10; i++) {
      assertThat(api.place(pool, token, "ann", "A-1").body()).isEqualTo(first.body());
      assertThat(api.place(pool, token, "ben", "A-1").statusCode()).isEqualTo(422);
    }

    assertThat(tokens.entry(token)).isEqualTo(entry);
    assertThat(tokens.all()).containsOnlyOnce("operator\t" + token);
    assertThat(records.words(pool)).containsOnlyOnce("HELD");
  }

  @Test
  @Requirement("IR-INV-7a")
  void after_its_window_a_token_places_a_new_hold() {
    var pool = api.pool(1);
    var token = Api.token();
    var first = api.place(pool, token, "ann", "A-1");
    api.release(Api.Hold.of(first).id(), Api.token(), "ann");
    var tokens = new RedisTokens(servers, pool);

    tokens.age(token, tokens.window());

    assertThat(api.place(pool, token, "ann", "A-1").body()).isNotEqualTo(first.body());
  }

  @Test
  @Requirement({"IR-INV-6", "IR-INV-7a"})
  void on_other_routes_the_window_ends_exactly_on_time() throws SQLException {
    var token = Api.token();
    var body = "{\"caller\":\"shop\",\"scopes\":[\"hold\"]}";
    var first = key(token, body);
    var window = windows();

    for (var i = 0; i < 5; i++) {
      assertThat(key(token, body)).isEqualTo(first);
    }
    assertThat(windows()).isEqualTo(window);
    new TestSchema(servers)
        .execute(
            "UPDATE request_result SET recorded_at = clock_timestamp() - interval '1 minute',"
                + " window_end = clock_timestamp()");

    var second = key(token, body);
    assertThat(second).isNotEqualTo(first);
    assertThat(key(token, body)).isEqualTo(second);
  }

  private static String key(String token, String body) {
    return Http.json(api.post("/v1/keys", token, body)).get("key").asText();
  }

  private static List<String> windows() {
    return records.texts("SELECT recorded_at || ' ' || window_end FROM request_result");
  }
}
