package io.holdfast.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The samples of *Deterministic Id Hashing* that have a race of their own. Calls go to two
/// instances at once.
///
/// The other samples are tests elsewhere: the ids in `DeterministicStreamIdsTest`, the two
/// concurrent creates of the example in `StreamCreateTest`, the translation of errors in
/// `AppendErrorsTest`, the e-mail of the example, which is refused because it can change, in
/// `MutableFieldTest`, and the leaves of the decision tree in `PatternTest`.
@ExtendWith(RealServers.class)
class DeterministicIdSampleTest {
  private static Service other;
  private static List<Api> apis;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    other = RealServers.start(servers, Map.of());
    apis = List.of(Api.of(service), Api.of(other));
    rows = Rows.of(servers);
  }

  @AfterAll
  static void close() {
    other.close();
  }

  /// `deterministicStreamId('TenantUser', [tenantId, email])`. All tenants create the same name at
  /// once; each of them gets one user, and no tenant takes the name of another one.
  @Test
  @Requirement({"DH-AC-2", "DH-AC-6"})
  void api_with_composite_key_each_tenant_gets_one_user_of_a_name() {
    var name = Streams.aName();

    var answers =
        Together.run(
            32, i -> create(i / 4, "TenantUser", "\"tenant_%d\",\"%s\"".formatted(i % 4, name)));

    for (var tenant = 0; tenant < 4; tenant++) {
      var own = tenant;
      assertThat(IntStream.range(0, 32).filter(i -> i % 4 == own).mapToObj(answers::get))
          .as("tenant_" + tenant)
          .filteredOn(answer -> answer.statusCode() == 201)
          .hasSize(1);
    }
    assertThat(answers)
        .filteredOn(answer -> answer.statusCode() != 201)
        .allSatisfy(
            answer -> assertThat(Api.code(answer)).isEqualTo("unique-constraint-violation"));
  }

  /// *Idempotent creates: same input always targets same stream.* The sample cannot tell a retry of
  /// the first writer from a second writer, and refuses both. A token tells them apart, also if the
  /// retries arrive before the first answer.
  @Test
  @Requirement("DH-RU-8")
  void idempotent_creates_concurrent_retries_of_one_create_get_its_answer() {
    var name = Streams.aName();
    var token = Api.token();

    var answers =
        Together.run(16, i -> new Streams(apis.get(i % 2)).append(token, name, 0, "UserCreated"));

    assertThat(answers).extracting(HttpResponse::statusCode).containsOnly(201);
    assertThat(answers).extracting(HttpResponse::body).containsOnly(answers.getFirst().body());
    assertThat(answers).filteredOn(answer -> !Api.isReplay(answer)).hasSize(1);
    assertThat(
            rows.number(
                "SELECT count(*) FROM stream_event WHERE stream_id = ?",
                Streams.id(answers.getFirst())))
        .isOne();
  }

  /// *Decision Tree*: each caller asks for the pattern and follows it. Whatever the leaf, one of
  /// all callers gets the value.
  @ParameterizedTest
  @CsvSource({
    "username, false, single-step, deterministic-id",
    "inviteCode, false, multi-step, reservation",
    "email, true, single-step, reservation",
  })
  @Requirement("DH-RU-5")
  void decision_tree_each_leaf_gives_a_value_to_one_of_all_who_follow_it(
      String field, boolean mutable, String flow, String pattern) {
    var value = Streams.aName();
    var type = field + "-" + UUID.randomUUID();
    reserve(0, type, "another value"); // the type exists

    var answers =
        Together.run(
            16,
            i -> {
              var query = "?field=%s&mutable=%s&flow=%s".formatted(field, mutable, flow);
              var advice = Http.json(apis.get(i % 2).get("/v1/patterns" + query));
              return advice.get("pattern").asText().equals("deterministic-id")
                  ? create(i, "User", "\"" + value + "\"")
                  : reserve(i, type, value);
            });

    assertThat(answers).extracting(HttpResponse::statusCode).containsOnly(201, 409);
    assertThat(answers).filteredOn(answer -> answer.statusCode() == 201).hasSize(1);
    assertThat(
            answers.stream()
                .map(Api::code)
                .filter(code -> !code.isEmpty())
                .collect(Collectors.toSet()))
        .containsExactly(
            pattern.equals("reservation") ? "already-reserved" : "unique-constraint-violation");
  }

  private static HttpResponse<String> create(int number, String entityType, String businessKey) {
    return apis.get(number % 2)
        .post(
            "/v1/streams",
            Api.token(),
            """
            {"entityType":"%s","businessKey":[%s],"field":"username","expectedVersion":0,
             "events":[{"type":"UserCreated","data":{}}]}
            """
                .formatted(entityType, businessKey));
  }

  private static HttpResponse<String> reserve(int number, String type, String value) {
    return apis.get(number % 2)
        .post(
            "/v1/reservations",
            Api.token(),
            "{\"type\":\"%s\",\"value\":\"%s\",\"ttlMs\":300000}".formatted(type, value));
  }
}
