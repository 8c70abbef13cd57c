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

/// The description of the API, for programs and for people.
@Controller
@Secured(SecurityRule.IS_ANONYMOUS)
final class DocumentController {
  private final byte[] description;
  private final byte[] page;

  DocumentController(ResourceResolver resources) {
    description = read(resources, "classpath:META-INF/swagger/holdfast.yml");
    page = read(resources, "classpath:docs.html");
  }

  @Operation(summary = "This description", tags = "Service")
  @ApiResponse(responseCode = "200", description = "All routes, as OpenAPI 3.1")
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

  private static byte[] read(ResourceResolver resources, String name) {
    try (var in = resources.getResourceAsStream(name).orElseThrow()) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
