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

/// The description of the API, for programs and for people.
@Controller
@Secured(SecurityRule.IS_ANONYMOUS)
final class OpenApiController {
  private static final Pattern NULL_AND_MORE =
      Pattern.compile("type: \"null\"\n( +)allOf:\n +- (\\$ref: .*)\n");
  private static final Pattern OR_ANY_OBJECT = Pattern.compile("(- \"null\"\n) +- object\n");

  private final byte[] description;
  private final byte[] page;

  OpenApiController(ResourceResolver resources) {
    description = satisfiable(read(resources, "classpath:META-INF/swagger/holdfast.yml"));
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

  /// The generator says of what may be null that it is both null and something else, or that any
  /// object will do, too.
  private static byte[] satisfiable(byte[] yaml) {
    var text = new String(yaml, StandardCharsets.UTF_8);
    return OR_ANY_OBJECT
        .matcher(NULL_AND_MORE.matcher(text).replaceAll("anyOf:\n$1- $2\n$1- type: \"null\"\n"))
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
