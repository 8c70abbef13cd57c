package io.holdfast.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.RedisTokens;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Every entry names its digest function, so that an instance with another function detects the
/// difference instead of reporting a collision.
@ExtendWith(RealServers.class)
class DigestFunctionTest {
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
  @Requirement("IR-ST-10")
  void a_token_of_another_digest_function_is_not_a_collision() {
    var pool = api.pool(1);
    var token = Api.token();
    new RedisTokens(servers, pool).keep(token, "place_hold\t0:elsewhere\tTAKEN\tA-1");

    var answer = api.place(pool, token, "ann", "A-1");

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(Api.code(answer)).isEqualTo("storage-failure");
    assertThat(Http.json(answer).get("definite").asBoolean()).isTrue();
    assertThat(api.stateOf(pool, "A-1")).isEqualTo("FREE");
  }

  @Test
  @Requirement("IR-ST-03")
  void equal_requests_under_different_tokens_have_one_digest() {
    var pool = api.pool(1);
    var body = "{\"requester\":\"ann\",\"items\":[\"A-1\"]}";
    var tokens = List.of("short", "a much longer token, " + Api.token(), "\"quoted\"");
    tokens.forEach(token -> api.post("/v1/pools/" + pool + "/holds", token, body));

    records.words(pool);

    var all = "SELECT count(*) || ' ' || count(DISTINCT digest) FROM token_result WHERE pool = ?";
    assertThat(records.texts(all, pool)).containsExactly("3 1");
  }

  @Test
  @Requirement({"IR-CF-06", "IR-CFR-03"})
  void the_digest_function_is_stored_with_every_entry_in_both_layers() {
    var pool = api.pool(1);
    var used = List.of(Api.token(), Api.token(), Api.token());
    api.place(pool, used.get(0), "ann", "A-1");
    api.place(pool, used.get(1), "ben", "A-1");
    api.place(pool, used.get(2), "", "A-1");

    records.words(pool);

    var functions = "SELECT digest_function || ' ' || split_part(outcome, E'\\t', 1)";
    assertThat(records.texts(functions + " FROM token_result WHERE pool = ?", pool))
        .containsExactlyInAnyOrder("1.2 HELD", "1.2 TAKEN", "1.2 INVALID");
    var tokens = new RedisTokens(servers, pool);
    assertThat(used)
        .allSatisfy(
            token ->
                assertThat(tokens.entry(token))
                    .hasValueSatisfying(e -> assertThat(e).contains("\tplace_hold\t1.2:")));
  }
}
