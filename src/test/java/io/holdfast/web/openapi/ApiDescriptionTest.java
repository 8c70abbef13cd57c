package io.holdfast.web.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Stock;
import io.holdfast.web.openapi.Described.Operation;
import io.holdfast.web.problem.ProblemCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/// What the OpenAPI document says of every operation, also of those to come. A failure names the
/// operation and what it lacks.
@ExtendWith(RealServers.class)
class ApiDescriptionTest {
  private static final Pattern WORD = Pattern.compile("[a-z]+(?:-[a-z]+)*");
  private static final Set<String> SCOPES = Set.of("hold", "commit", "operate", "audit");
  private static final int FIRST_REFUSAL = 400;

  private static Service service;
  private static Api api;
  private static Described described;
  private static String ticket;

  @BeforeAll
  static void read(Service given) {
    service = given;
    api = Api.of(given);
    described = Described.by(given.http());
    var room = Stock.of(api, 1, "{\"waitingRoom\":true}").pool();
    var joined = api.post("/v1/pools/" + room + "/queue", Api.token(), "{\"requester\":\"ann\"}");
    ticket = Http.json(joined).get("ticket").asText();
  }

  @Test
  void the_document_is_the_same_as_yaml_and_as_json() {
    var yaml =
        new Yaml(new SafeConstructor(new LoaderOptions()))
            .load(Http.get(service.http(), "/openapi.yaml").body());

    assertThat(new ObjectMapper().<JsonNode>valueToTree(yaml)).isEqualTo(described.document());
    assertThat(described.operations()).hasSizeGreaterThan(50);
  }

  @Test
  @Requirement("AU-15")
  void every_operation_is_named_by_a_verb_and_a_noun_and_has_one_tag() {
    var names = described.document().path("tags").findValuesAsText("name");

    assertThat(described.operations())
        .allSatisfy(
            operation -> {
              assertThat(operation.id())
                  .as(operation + ": operationId")
                  .matches("[a-z]+([A-Z][a-z]*)*")
                  .isNotEqualTo("index");
              assertThat(operation.node().path("tags"))
                  .as(operation + ": one tag in @Operation")
                  .hasSize(1);
              assertThat(names).contains(operation.node().path("tags").get(0).asText());
              assertThat(operation.node().path("summary").asText())
                  .as(operation + ": summary in @Operation")
                  .isNotBlank();
            });
    assertThat(described.operations().stream().map(Operation::id)).doesNotHaveDuplicates();
  }

  @Test
  @Requirement("AU-15")
  void every_refusal_has_a_body_and_names_codes_that_exist_with_its_status() {
    for (var operation : described.operations()) {
      operation
          .node()
          .path("responses")
          .properties()
          .forEach(
              response -> {
                var status = response.getKey();
                var what = operation + " " + status;
                assertThat(response.getValue().path("description").asText()).as(what).isNotBlank();
                if (status.endsWith("XX") || Integer.parseInt(status) >= FIRST_REFUSAL) {
                  assertRefusal(what, status, response.getValue());
                }
              });
    }
  }

  private static void assertRefusal(String what, String status, JsonNode response) {
    var schema = response.at("/content/application~1problem+json/schema");
    assertThat(described.resolved(schema).path("properties").has("code"))
        .as(what + ": body " + response)
        .isTrue();
    if (status.endsWith("XX")) {
      return;
    }
    var codes = new ArrayList<ProblemCode>();
    WORD.matcher(response.path("description").asText())
        .results()
        .forEach(found -> ProblemCode.of(found.group()).ifPresent(codes::add));
    assertThat(codes).as(what + ": name the codes in the description of @ApiResponse").isNotEmpty();
    assertThat(codes)
        .as(what + ": " + response.path("description"))
        .allMatch(code -> code.statuses().contains(Integer.parseInt(status)));
  }

  @Test
  @Requirement("AU-15")
  void every_success_with_json_says_what_is_in_it() {
    for (var operation : described.operations()) {
      if (operation.id().startsWith("getOpenApi")) {
        continue;
      }
      operation
          .node()
          .path("responses")
          .properties()
          .forEach(
              response -> {
                var json = response.getValue().at("/content/application~1json");
                if (response.getKey().startsWith("2") && !json.isMissingNode()) {
                  assertThat(json.path("schema"))
                      .as(operation + " " + response.getKey() + ": content in @ApiResponse")
                      .isNotEmpty();
                }
              });
    }
  }

  @Test
  @Requirement("AU-15")
  void an_operation_that_may_be_refused_for_a_while_says_when_to_try_again() {
    assertThat(described.ofTheApi())
        .allSatisfy(
            operation -> {
              assertThat(operation.response(503).path("headers").has("Retry-After"))
                  .as(operation + " 503")
                  .isTrue();
              if (operation.isSecured()) {
                assertThat(operation.response(401).path("headers").has("WWW-Authenticate"))
                    .as(operation + " 401")
                    .isTrue();
                assertThat(operation.response(429).path("headers").has("Retry-After"))
                    .as(operation + " 429")
                    .isTrue();
              }
            });
  }

  /// Sends every request with a key of each scope.
  @Test
  @Requirement("AU-15")
  void the_scopes_are_those_that_the_service_asks_for() {
    var keys = new HashMap<String, Api>();
    SCOPES.forEach(scope -> keys.put(scope, api.as("only-" + scope, scope)));
    var pool = api.pool(1);

    for (var operation : described.ofTheApi().toList()) {
      if (operation.path().endsWith("/stream") || !operation.isSecured()) {
        continue;
      }
      var admitted = new TreeSet<String>();
      keys.forEach(
          (scope, key) -> {
            if (send(operation, pool, "Authorization", "Bearer " + key.key()).statusCode() != 403) {
              admitted.add(scope);
            }
          });
      var named = new TreeSet<>(operation.scopes());
      named.retainAll(SCOPES);
      assertThat(admitted)
          .as(operation + ": security")
          .isEqualTo(operation.scopes().isEmpty() ? SCOPES : named);
    }
  }

  @Test
  @Requirement("AU-15")
  void a_key_is_described_where_one_is_needed_and_a_token_where_one_is_needed() {
    var pool = api.pool(1);
    for (var operation : described.ofTheApi().toList()) {
      if (operation.path().endsWith("/stream") || operation.path().endsWith("/notices")) {
        continue;
      }
      assertThat(send(operation, pool).statusCode() == 401)
          .as(operation + ": security")
          .isEqualTo(operation.isSecured());
      if (operation.isChange()) {
        var answer = send(operation, pool, "Authorization", "Bearer " + api.key());
        assertThat(Http.json(answer).path("field").asText().equals("Idempotency-Key"))
            .as(operation + ": @Parameter Idempotency-Key " + answer.body())
            .isEqualTo(operation.hasParameter("header", "Idempotency-Key"));
      }
    }
  }

  @Test
  @Requirement("AU-15")
  void a_change_of_parts_requires_none_of_them() {
    var patches = described.operations().stream().filter(each -> each.method().equals("PATCH"));

    assertThat(patches.toList())
        .isNotEmpty()
        .allSatisfy(
            operation ->
                assertThat(requiredIn(operation.body().path("schema")))
                    .as(operation + ": required fields of the request")
                    .isEmpty());
  }

  /// A body with a single member has no parts.
  private static List<String> requiredIn(JsonNode schema) {
    var found = new ArrayList<String>();
    var object = described.resolved(schema);
    if (object.path("properties").size() > 1) {
      object.path("required").forEach(name -> found.add(name.asText()));
    }
    object.path("properties").forEach(member -> found.addAll(requiredIn(member)));
    object.path("anyOf").forEach(choice -> found.addAll(requiredIn(choice)));
    return found;
  }

  @Test
  @Requirement("AU-15")
  void every_request_body_has_an_example_of_the_described_form() {
    assertThat(described.operations().stream().filter(Operation::hasBody).toList())
        .isNotEmpty()
        .allSatisfy(
            operation -> {
              assertThat(operation.body().has("example"))
                  .as(operation + ": add an example to openapi-examples.json")
                  .isTrue();
              assertThat(
                      described.differences(
                          operation.body().path("example"), operation.body().path("schema")))
                  .as(operation + ": example")
                  .isEmpty();
            });
  }

  @Test
  void no_example_is_left_of_an_operation_that_is_gone() {
    var ids = described.operations().stream().filter(Operation::hasBody).map(Operation::id);
    var examples = new LinkedHashSet<String>();
    Http.json(resource()).fieldNames().forEachRemaining(examples::add);

    assertThat(ids.toList()).containsAll(examples);
  }

  private static String resource() {
    try (var in = ApiDescription.class.getResourceAsStream("/openapi-examples.json")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Without a token.
  private static HttpResponse<String> send(Operation operation, String pool, String... headers) {
    var path =
        operation
            .path()
            .replace("{pool}", pool)
            .replace("{ticket}", ticket)
            .replaceAll("\\{.*?}", "x");
    return operation.isChange()
        ? Http.send(api.base(), operation.method(), path, "{}", headers)
        : Http.get(api.base(), path, headers);
  }
}
