package io.holdfast.web;

import io.micronaut.core.io.ResourceResolver;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import io.swagger.v3.oas.annotations.Hidden;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/// Serves the OpenAPI document and the page that shows it.
@Controller
@Secured(SecurityRule.IS_ANONYMOUS)
final class OpenApiController {
  private static final Pattern NULL_AND_REFERENCE =
      Pattern.compile("type: \"null\"\n( +)allOf:\n +- (\\$ref: .*)\n");
  private static final Pattern NULL_OR_OBJECT = Pattern.compile("(- \"null\"\n) +- object\n");

  private final byte[] description;
  private final byte[] page;

  OpenApiController(ResourceResolver resources) {
    description = corrected(read(resources, "classpath:META-INF/swagger/holdfast.yml"));
    page = read(resources, "classpath:docs.html");
  }

  @Operation(operationId = "getOpenApi", summary = "Get this OpenAPI document", tags = "Service")
  @ApiResponse(responseCode = "200", description = "All routes, as OpenAPI 3.1.")
  @Get("/openapi.yaml")
  @Produces("application/yaml")
  byte[] description() {
    return description;
  }

  @Hidden
  @Get("/docs")
  @Produces("text/html;charset=utf-8")
  byte[] page() {
    return page;
  }

  /// Corrects the generator's schemas of nullable fields: it describes a nullable reference as null
  /// and the reference at once, and allows any object for a nullable value.
  private static byte[] corrected(byte[] yaml) {
    var text = new String(yaml, StandardCharsets.UTF_8);
    return NULL_OR_OBJECT
        .matcher(
            NULL_AND_REFERENCE.matcher(text).replaceAll("anyOf:\n$1- $2\n$1- type: \"null\"\n"))
        .replaceAll("$1")
        .getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] read(ResourceResolver resources, String name) {
    try (var in = resources.getResourceAsStream(name).orElseThrow()) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
