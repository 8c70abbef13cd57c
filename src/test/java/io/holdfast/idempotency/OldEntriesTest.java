package io.holdfast.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.RedisTokens;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A retry gets the bytes of its first answer, also from an instance that writes other entries or
/// renders answers in another way.
@ExtendWith(RealServers.class)
class OldEntriesTest {
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
  @Requirement("AU-10")
  void an_answer_is_rendered_as_it_was_when_its_entry_was_written() {
    var pool = api.pool(2, "{\"maxHoldsPerRequester\":1}");
    var token = Api.token();
    api.hold(pool, "ann", "A-1");
    var now = api.place(pool, token, "ann", "A-2");
    makeOld(pool, token);
    records.words(pool);
    assertThat(records.texts(MAKE_OLD, pool, "place_hold")).contains("1");

    var then = api.place(pool, token, "ann", "A-2");
    var other = api.place(pool, token, "ann", "A-1");

    assertThat(now.body()).contains("\"retryable\":false");
    assertThat(Api.isReplay(then)).as(then.body()).isTrue();
    assertThat(then.statusCode()).isEqualTo(429);
    assertThat(then.body())
        .isEqualTo(
            now.body()
                .replace("\"retryable\":false", "\"retryable\":true")
                .replace("\"/problems/", "\"https://holdfast.dev/problems/"));
    assertThat(then.headers().firstValue("Retry-After")).contains("1");
    assertThat(other.statusCode()).as("another request").isEqualTo(422);
    assertThat(operation(pool, token).at("/result/body/retryable").asBoolean()).isTrue();
  }

  @Test
  @Requirement("AU-10")
  void a_refusal_of_the_first_version_names_the_host_that_it_named_then() {
    var pool = api.pool(1);
    var type = "type-" + Api.token();
    api.hold(pool, "ann", "A-1");
    var token = Api.token();
    var taken = api.place(pool, token, "ben", "A-1");
    makeOld(pool, token);
    var value = "{\"type\":\"%s\",\"value\":\"alice\",\"ttlMs\":300000}".formatted(type);
    api.post("/v1/reservations", Api.token(), value);
    var again = Api.token();
    var reserved = api.post("/v1/reservations", again, value);
    makeOld(type, again);

    var then = api.place(pool, token, "ben", "A-1");
    var reservedThen = api.post("/v1/reservations", again, value);

    assertThat(then.body())
        .startsWith("{\"type\":\"https://holdfast.dev/problems/resource-unavailable\"")
        .isEqualTo(asOfOld(taken));
    assertThat(reservedThen.body())
        .startsWith("{\"type\":\"https://holdfast.dev/problems/already-reserved\"")
        .isEqualTo(asOfOld(reserved));
    assertThat(List.of(then, reservedThen)).allMatch(Api::isReplay);
    assertThat(taken.body()).startsWith("{\"type\":\"/problems/resource-unavailable\"");
    assertThat(reserved.body()).startsWith("{\"type\":\"/problems/already-reserved\"");
  }

  private static String asOfOld(HttpResponse<String> answer) {
    return answer.body().replace("\"/problems/", "\"https://holdfast.dev/problems/");
  }

  @Test
  @Requirement("AU-10")
  void a_sale_of_an_older_version_is_repeated_from_redis_and_from_postgres() {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");
    var token = Api.token();
    var sale = api.confirm(hold, token, "ann", "order-1");
    makeOld(pool, token);
    assertThat(records.texts(MAKE_OLD, pool, "confirm")).containsExactly("1");

    var fromRedis = api.confirm(hold, token, "ann", "order-1");
    assertThat(new RedisTokens(servers, pool).lose(token)).isPositive();
    var fromPostgres = api.confirm(hold, token, "ann", "order-1");
    var other = api.confirm(hold, token, "ann", "order-2");

    assertReplay(fromRedis, sale);
    assertReplay(fromPostgres, sale);
    assertThat(other.statusCode()).as("another request").isEqualTo(422);
    assertThat(records.texts("SELECT outcome FROM attempt WHERE pool = ?", pool))
        .containsExactly("CONFIRMED", "Collision");
  }

  @Test
  @Requirement({"AU-10", "IR-ST-10", "IR-CF-06"})
  void instances_that_write_different_versions_answer_each_others_retries(@TempDir Path folder) {
    var pool = api.pool(2, "{\"maxHoldsPerRequester\":1}");
    api.hold(pool, "ann", "A-1");
    var ofNew = Api.token();
    var ofOld = Api.token();

    try (var upgrading =
        Instances.start(servers, folder, Map.of("holdfast.digest-function", "1"))) {
      var old = new Api(upgrading.http(), api.key());
      var toNew = api.place(pool, ofNew, "ann", "A-2");
      var toOld = old.place(pool, ofOld, "ann", "A-2");

      assertReplay(old.place(pool, ofNew, "ann", "A-2"), toNew);
      assertReplay(api.place(pool, ofOld, "ann", "A-2"), toOld);
      assertThat(toNew.body()).contains("\"retryable\":false");
      assertThat(toOld.body()).contains("\"retryable\":true");
      assertThat(new RedisTokens(servers, pool).entry(ofOld).orElseThrow())
          .contains("\tplace_hold\t1:");
    }
  }

  private static final String MAKE_OLD =
      "UPDATE token_result SET digest_function = '1' WHERE pool = ? AND action::text = ?"
          + " RETURNING digest_function";

  /// As the first version wrote it.
  private static void makeOld(String pool, String token) {
    var tokens = new RedisTokens(servers, pool);
    var entry = tokens.entry(token).orElseThrow().split("\t", 2)[1];
    assertThat(entry).contains("\t1.2:");
    tokens.keep(token, entry.replace("\t1.2:", "\t1:"));
  }

  private static JsonNode operation(String pool, String token) {
    return Http.json(api.get("/v1/operations/" + token + "?pool=" + pool));
  }

  private static void assertReplay(HttpResponse<String> answer, HttpResponse<String> first) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(first.statusCode());
    assertThat(answer.body()).isEqualTo(first.body());
    assertThat(Api.isReplay(answer)).isTrue();
  }
}
