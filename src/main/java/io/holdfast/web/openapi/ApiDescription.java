package io.holdfast.web.openapi;

import io.micronaut.core.io.ResourceResolver;
import io.micronaut.core.type.Argument;
import io.micronaut.security.annotation.Secured;
import io.micronaut.serde.ObjectMapper;
import io.micronaut.web.router.Router;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The OpenAPI document: what is generated from the controllers, with what holds for all routes.
/// The scopes are those that `@Secured` asks for. The examples are in `openapi-examples.json`, by
/// the id of the operation. It is made for the first reader.
@Singleton
final class ApiDescription {
  private static final String GENERATED = "classpath:META-INF/swagger/holdfast.json";
  private static final String EXAMPLES = "classpath:openapi-examples.json";
  private static final Argument<Map<String, Object>> OBJECT =
      Argument.mapOf(String.class, Object.class);

  private final ResourceResolver resources;
  private final ObjectMapper json;
  private final Router router;
  private byte @Nullable [] asJson;
  private byte @Nullable [] asYaml;

  ApiDescription(ResourceResolver resources, ObjectMapper json, Router router) {
    this.resources = resources;
    this.json = json;
    this.router = router;
  }

  synchronized byte[] asJson() {
    if (asJson == null) {
      asJson = write(document());
    }
    return asJson;
  }

  synchronized byte[] asYaml() {
    if (asYaml == null) {
      asYaml = YamlText.of(document());
    }
    return asYaml;
  }

  private Map<String, Object> document() {
    var document = read(GENERATED);
    var examples = read(EXAMPLES);
    var scopes = scopes();
    var tags = new TreeSet<String>();
    SchemaNames.simplify(document);
    SchemaCorrection.correct(document);
    for (var path : Node.in(document, "paths").entrySet()) {
      for (var method : Node.of(path.getValue()).entrySet()) {
        var operation = Node.of(method.getValue());
        var route = method.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey();
        new OperationCompletion(operation, scopes.getOrDefault(route, List.of()))
            .complete(examples.get(String.valueOf(operation.get("operationId"))));
        Node.list(operation, "tags").forEach(tag -> tags.add(tag.toString()));
      }
    }
    document.put("tags", tags.stream().map(tag -> Map.of("name", tag)).toList());
    Node.in(document, "components").put("headers", DescribedHeader.all());
    return document;
  }

  /// The words of `@Secured` by method and path.
  private Map<String, List<String>> scopes() {
    var found = new HashMap<String, List<String>>();
    router
        .uriRoutes()
        .forEach(
            route ->
                found.put(
                    route.getHttpMethodName() + " " + route.getUriMatchTemplate().toPathString(),
                    List.of(route.getAnnotationMetadata().stringValues(Secured.class))));
    return found;
  }

  private byte[] write(Map<String, Object> document) {
    try {
      return json.writeValueAsBytes(document);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Map<String, Object> read(String name) {
    try (var in = resources.getResourceAsStream(name).orElseThrow()) {
      return json.readValue(in.readAllBytes(), OBJECT);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
