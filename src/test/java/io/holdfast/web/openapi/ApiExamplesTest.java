package io.holdfast.web.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.holdfast.app.Service;
import io.holdfast.events.Receiver;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.holdfast.web.openapi.Described.Operation;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/// Sends the examples of the document to a service, in a place where they work, and compares the
/// answers with what the document says of them: status, body, headers.
@ExtendWith(RealServers.class)
class ApiExamplesTest {
  private static final Set<String> TOLD = Set.of("location", "etag", "link", "retry-after");

  /// Operations that are not sent, and why.
  private static final Map<String, String> NOT_SENT =
      Map.of(
          "streamItemStates", "the response does not end",
          "streamTicket", "the response does not end");

  private static Service service;
  private static Receiver receiver;
  private static Api api;
  private static Described described;
  private static ExampleWorld world;

  @BeforeAll
  static void start(TestServers servers) {
    receiver = Receiver.open();
    service =
        RealServers.start(
            servers,
            Map.of(
                "holdfast.demo", "true",
                "holdfast.webhooks-private", "true",
                "holdfast.checkout-pause", "10ms",
                "holdfast.checkout-look", "100ms"));
    api = Api.of(service);
    described = Described.by(service.http());
    world = new ExampleWorld(api, new ExampleSales(service, servers), receiver.url());
  }

  @AfterAll
  static void stop() {
    service.close();
    receiver.close();
  }

  @TestFactory
  @Requirement("AU-15")
  List<DynamicTest> every_example_works_and_is_answered_as_described() {
    return described
        .ofTheApi()
        .filter(operation -> !NOT_SENT.containsKey(operation.id()))
        .map(operation -> DynamicTest.dynamicTest(operation.toString(), () -> check(operation)))
        .toList();
  }

  @Test
  @Requirement("AU-15")
  void every_operation_that_is_not_sent_exists() {
    assertThat(described.ofTheApi().map(Operation::id)).containsAll(NOT_SENT.keySet());
  }

  private static void check(Operation operation) {
    var answer = send(operation, world.placeOf(operation.id()));
    var what = operation + " answered " + answer.statusCode() + " " + answer.body();
    var response = operation.response(answer.statusCode());

    assertThat(answer.statusCode()).as(what).isBetween(200, 299);
    assertThat(response.isMissingNode()).as(what + ": status not described").isFalse();
    assertBody(what, response, answer);
    assertHeaders(what, response, answer);
  }

  private static void assertBody(String what, JsonNode response, HttpResponse<String> answer) {
    var type = answer.headers().firstValue("Content-Type").orElse("none").split(";")[0];
    var content = response.path("content").path(type);
    assertThat(content.isMissingNode()).as(what + ": type " + type + " not described").isFalse();
    assertThat(answer.body()).as(what).isNotBlank();
    if (type.endsWith("json")) {
      assertThat(described.differences(Http.json(answer), content.path("schema")))
          .as(what)
          .isEmpty();
    }
  }

  private static void assertHeaders(String what, JsonNode response, HttpResponse<String> answer) {
    var said = new TreeSet<String>(String.CASE_INSENSITIVE_ORDER);
    response.path("headers").fieldNames().forEachRemaining(said::add);
    var sent = new ArrayList<>(answer.headers().map().keySet());
    sent.retainAll(TOLD);

    assertThat(said).as(what + ": headers in @ApiResponse").containsAll(sent);
    for (var header : List.of("Location", "ETag")) {
      assertThat(answer.headers().firstValue(header).isPresent())
          .as(what + ": " + header)
          .isEqualTo(said.contains(header));
    }
  }

  private static HttpResponse<String> send(Operation operation, Place place) {
    var path = place.fill(operation.path()) + place.query();
    if (!operation.isChange()) {
      return api.get(path);
    }
    var example = operation.body().path("example");
    var body = "";
    if (example.isObject()) {
      var filled = (ObjectNode) example.deepCopy();
      filled.properties().forEach(place::fill);
      body = filled.toString();
    }
    var headers = Stream.of("Authorization", "Bearer " + api.key(), "Idempotency-Key", Api.token());
    return Http.send(
        api.base(),
        operation.method(),
        path,
        body,
        Stream.concat(headers, Stream.of(place.signature(body))).toArray(String[]::new));
  }

  /// What replaces the variables of a path and the members of a body, what is asked for, and the
  /// headers that sign the body.
  record Place(
      Map<String, String> path,
      Map<String, JsonNode> body,
      String query,
      Function<String, String[]> signer) {

    static Place of(String... namesAndValues) {
      var path = new HashMap<String, String>();
      for (var i = 0; i < namesAndValues.length; i += 2) {
        path.put(namesAndValues[i], namesAndValues[i + 1]);
      }
      return new Place(path, new HashMap<>(), "", _ -> new String[0]);
    }

    Place with(String member, String value) {
      body.put(member, JsonNodeFactory.instance.textNode(value));
      return this;
    }

    Place with(String member, long value) {
      body.put(member, JsonNodeFactory.instance.numberNode(value));
      return this;
    }

    Place asking(String question) {
      return new Place(path, body, "?" + question, signer);
    }

    Place signed(Function<String, String[]> by) {
      return new Place(path, body, query, by);
    }

    void fill(Map.Entry<String, JsonNode> member) {
      member.setValue(body.getOrDefault(member.getKey(), member.getValue()));
    }

    String fill(String template) {
      var filled = template;
      for (var entry : path.entrySet()) {
        filled = filled.replace("{" + entry.getKey() + "}", entry.getValue());
      }
      assertThat(filled).as("with all variables of " + template).doesNotContain("{");
      return filled;
    }

    String[] signature(String body) {
      return signer.apply(body);
    }
  }
}
