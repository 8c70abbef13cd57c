package io.holdfast.web.openapi;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.testing.Http;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/// The OpenAPI document of a running service, as a reader sees it.
record Described(JsonNode document) {

  static Described by(URI service) {
    return new Described(Http.json(Http.get(service, "/openapi.json")));
  }

  /// One method of one path.
  record Operation(String method, String path, JsonNode node) {
    String id() {
      return node.path("operationId").asText();
    }

    boolean isChange() {
      return !method.equals("GET");
    }

    boolean hasBody() {
      return node.has("requestBody");
    }

    JsonNode body() {
      return node.at("/requestBody/content/application~1json");
    }

    JsonNode response(int status) {
      return node.path("responses").path(Integer.toString(status));
    }

    boolean hasParameter(String place, String name) {
      for (var parameter : node.path("parameters")) {
        if (parameter.path("in").asText().equals(place)
            && parameter.path("name").asText().equals(name)) {
          return true;
        }
      }
      return false;
    }

    boolean isSecured() {
      return !node.path("security").isEmpty();
    }

    /// Any of them suffices; empty if every key does.
    Set<String> scopes() {
      var scopes = new TreeSet<String>();
      node.path("security")
          .forEach(each -> each.path("key").forEach(scope -> scopes.add(scope.asText())));
      return scopes;
    }

    @Override
    public String toString() {
      return id() + " (" + method + " " + path + ")";
    }
  }

  List<Operation> operations() {
    var all = new ArrayList<Operation>();
    document
        .path("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .properties()
                    .forEach(
                        method ->
                            all.add(
                                new Operation(
                                    method.getKey().toUpperCase(Locale.ROOT),
                                    path.getKey(),
                                    method.getValue()))));
    return all;
  }

  Stream<Operation> ofTheApi() {
    return operations().stream().filter(operation -> operation.path.startsWith("/v1/"));
  }

  /// What a reference leads to.
  JsonNode resolved(JsonNode node) {
    return node.has("$ref") ? document.at(node.path("$ref").asText().substring(1)) : node;
  }

  /// How the value differs from the schema; empty if it does not. A member that the schema does not
  /// have counts as a difference.
  List<String> differences(JsonNode value, JsonNode schema) {
    var found = new ArrayList<String>();
    compare("$", value, schema, found);
    return found;
  }

  private void compare(String at, JsonNode value, JsonNode given, List<String> found) {
    var schema = resolved(given);
    if (schema.has("anyOf")) {
      compareToAny(at, value, schema.path("anyOf"), found);
      return;
    }
    if (!isOfType(value, schema.path("type"))) {
      found.add(at + " is " + value.getNodeType() + " and not " + schema.path("type"));
      return;
    }
    if (schema.has("enum") && !value.isNull() && !contains(schema.path("enum"), value)) {
      found.add(at + " is " + value + " and none of " + schema.path("enum"));
    }
    if (value.isArray() && schema.has("items")) {
      for (var i = 0; i < value.size(); i++) {
        compare(at + "[" + i + "]", value.get(i), schema.path("items"), found);
      }
    }
    if (value.isObject() && schema.has("properties")) {
      compareMembers(at, value, schema, found);
    }
  }

  private void compareMembers(String at, JsonNode value, JsonNode schema, List<String> found) {
    schema
        .path("required")
        .forEach(
            name -> {
              if (!value.has(name.asText())) {
                found.add(at + " lacks the required " + name.asText());
              }
            });
    value
        .properties()
        .forEach(
            member -> {
              var described = schema.path("properties").path(member.getKey());
              if (described.isMissingNode()) {
                found.add(at + " has " + member.getKey() + ", which is not described");
              } else {
                compare(at + "." + member.getKey(), member.getValue(), described, found);
              }
            });
  }

  private void compareToAny(String at, JsonNode value, JsonNode choices, List<String> found) {
    var closest = new ArrayList<String>();
    for (var choice : choices) {
      var differences = new ArrayList<String>();
      compare(at, value, choice, differences);
      if (differences.isEmpty()) {
        return;
      }
      closest.addAll(differences);
    }
    found.addAll(closest);
  }

  private static boolean isOfType(JsonNode value, JsonNode type) {
    if (type.isMissingNode()) {
      return true;
    }
    if (type.isArray()) {
      for (var each : type) {
        if (isOfType(value, each)) {
          return true;
        }
      }
      return false;
    }
    return switch (type.asText()) {
      case "string" -> value.isTextual();
      case "integer" -> value.isIntegralNumber();
      case "number" -> value.isNumber();
      case "boolean" -> value.isBoolean();
      case "array" -> value.isArray();
      case "object" -> value.isObject();
      case "null" -> value.isNull();
      default -> false;
    };
  }

  private static boolean contains(JsonNode values, JsonNode value) {
    for (var each : values) {
      if (each.equals(value)) {
        return true;
      }
    }
    return false;
  }
}
