package io.holdfast.web.openapi;

import io.holdfast.web.Problem;
import io.holdfast.web.problem.ProblemCode;
import io.micronaut.security.rules.SecurityRule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Completes the description of one operation: the scopes that it needs, the refusals that follow
/// from its parts, the body of every refusal, the headers of every response, and an example.
final class OperationCompletion {
  private static final String TOKEN = "Idempotency-Key";
  private static final String JSON = "application/json";
  private static final int TOKEN_LENGTH_MAX = 256;
  private static final int FIRST_REFUSAL = 400;

  private final Map<String, Object> operation;
  private final Map<String, Object> responses;

  /// Of `@Secured`: any of them suffices.
  private final List<String> scopes;

  OperationCompletion(Map<String, Object> operation, List<String> scopes) {
    this.operation = operation;
    this.responses = Node.in(operation, "responses");
    this.scopes = scopes;
  }

  void complete(@Nullable Object example) {
    parameters().forEach(OperationCompletion::completeParameter);
    addSecurity();
    addRefusals();
    responses.forEach((status, response) -> completeResponse(status, Node.of(response)));
    sortResponses();
    if (hasBody()) {
      completeBody(example);
    }
  }

  /// The generator takes bytes without a described record for a text. Every body is an object.
  private void completeBody(@Nullable Object example) {
    var body = Node.in(Node.in(Node.in(operation, "requestBody"), "content"), JSON);
    if (!Node.in(body, "schema").containsKey("$ref")) {
      body.put("schema", Map.of("type", "object"));
    }
    if (example != null) {
      body.put("example", example);
    }
  }

  private static void completeParameter(Map<String, Object> parameter) {
    SchemaCorrection.correctParameter(parameter);
    if (TOKEN.equals(parameter.get("name"))) {
      parameter.put(
          "description",
          "Names this request: sent again with the same key, it is not carried out again and gets"
              + " the first answer.");
      parameter.put(
          "schema",
          new TreeMap<>(Map.of("type", "string", "minLength", 1, "maxLength", TOKEN_LENGTH_MAX)));
    }
  }

  /// One requirement for each scope that suffices.
  private void addSecurity() {
    if (scopes.isEmpty() || scopes.contains(SecurityRule.IS_ANONYMOUS)) {
      operation.put("security", List.of());
    } else if (scopes.contains(SecurityRule.IS_AUTHENTICATED)) {
      operation.put("security", List.of(Map.of("key", List.of())));
    } else {
      operation.put(
          "security", scopes.stream().map(scope -> Map.of("key", List.of(scope))).toList());
    }
  }

  private void addRefusals() {
    refusal(ProblemCode.INVALID_REQUEST, 400);
    refusal(ProblemCode.ORIGIN_NOT_ALLOWED, 403);
    refusal(ProblemCode.INTERNAL_ERROR, 500);
    refusal(ProblemCode.STORAGE_FAILURE, 503);
    if (hasKey()) {
      refusal(ProblemCode.UNAUTHENTICATED, 401);
      refusal(ProblemCode.FORBIDDEN, 403);
      refusal(ProblemCode.RATE_LIMITED, 429);
    }
    if (hasParameter("path", null)) {
      refusal(ProblemCode.NOT_KNOWN, 404);
    }
    if (hasBody()) {
      refusal(ProblemCode.NOT_YOURS, 403);
      refusal(ProblemCode.REQUEST_TIMEOUT, 408);
      refusal(ProblemCode.TOO_LARGE, 413);
      refusal(ProblemCode.UNSUPPORTED_MEDIA_TYPE, 415);
    }
    if (hasParameter("header", TOKEN)) {
      refusal(ProblemCode.ATTEMPT_COLLISION, 409);
      refusal(ProblemCode.TOKEN_COLLISION, 422);
      refusal(ProblemCode.OVERLOADED, 503);
    }
  }

  /// Adds the code to what the route says itself about the status.
  private void refusal(ProblemCode code, int status) {
    var response = Node.in(responses, Integer.toString(status));
    var said = String.valueOf(response.getOrDefault("description", ""));
    if (!said.contains(code.word())) {
      response.put("description", said.isEmpty() ? code.word() : said + "; " + code.word());
    }
  }

  private void completeResponse(String status, Map<String, Object> response) {
    DescribedHeader.keepOnlyReferences(response);
    DescribedHeader.TRACE_ID.addTo(response);
    if (hasKey() && !status.equals("401")) {
      DescribedHeader.RATE_LIMIT.addTo(response);
      DescribedHeader.RATE_LIMIT_POLICY.addTo(response);
    }
    if (status.equals("401")) {
      DescribedHeader.WWW_AUTHENTICATE.addTo(response);
    }
    if (status.equals("429") || status.equals("503") || status.equals("5XX")) {
      DescribedHeader.RETRY_AFTER.addTo(response);
    }
    if (isRefusal(status)) {
      completeProblem(response);
    } else {
      completeSuccess(status, response);
    }
  }

  private void completeSuccess(String status, Map<String, Object> response) {
    if (hasParameter("header", "Prefer")) {
      DescribedHeader.PREFERENCE_APPLIED.addTo(response);
    }
    if (hasParameter("header", TOKEN)) {
      DescribedHeader.IDEMPOTENT_REPLAYED.addTo(response);
    }
    if (hasParameter("header", "If-None-Match")) {
      DescribedHeader.ETAG.addTo(response);
    }
    if (hasParameter("query", "after") && status.equals("200")) {
      DescribedHeader.LINK.addTo(response);
    }
  }

  /// Whatever a route says of the body: its type is that of a problem.
  private void completeProblem(Map<String, Object> response) {
    if (hasParameter("header", TOKEN)) {
      DescribedHeader.IDEMPOTENT_REPLAYED.addTo(response);
    }
    var content = Node.in(response, "content");
    var said = content.remove(JSON);
    var body = said == null ? new LinkedHashMap<String, Object>() : Node.of(said);
    var described = Node.of(content.computeIfAbsent(Problem.MEDIA_TYPE, _ -> body));
    if (Node.in(described, "schema").isEmpty()) {
      described.put("schema", Node.reference("schemas", "Problem"));
    }
  }

  private void sortResponses() {
    var sorted = new TreeMap<>(responses);
    responses.clear();
    responses.putAll(sorted);
  }

  private static boolean isRefusal(String status) {
    return status.endsWith("XX") || Integer.parseInt(status) >= FIRST_REFUSAL;
  }

  private boolean hasKey() {
    return !Node.list(operation, "security").isEmpty();
  }

  private boolean hasBody() {
    return operation.containsKey("requestBody");
  }

  /// @param name null for any
  private boolean hasParameter(String place, @Nullable String name) {
    return parameters().stream()
        .anyMatch(
            parameter ->
                place.equals(parameter.get("in"))
                    && (name == null || name.equals(parameter.get("name"))));
  }

  private List<Map<String, Object>> parameters() {
    var all = new ArrayList<Map<String, Object>>();
    if (operation.containsKey("parameters")) {
      Node.list(operation, "parameters").forEach(parameter -> all.add(Node.of(parameter)));
    }
    return all;
  }
}
