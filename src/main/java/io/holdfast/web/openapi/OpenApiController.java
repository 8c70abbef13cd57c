package io.holdfast.web.openapi;

import io.micronaut.core.io.ResourceResolver;
import io.micronaut.http.MediaType;
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

/// Serves the OpenAPI document and the page that shows it.
@Controller
@Secured(SecurityRule.IS_ANONYMOUS)
final class OpenApiController {
  private final ApiDescription description;
  private final byte[] page;

  OpenApiController(ApiDescription description, ResourceResolver resources) {
    this.description = description;
    this.page = read(resources, "classpath:docs.html");
  }

  @Operation(operationId = "getOpenApi", summary = "Get this OpenAPI document", tags = "Service")
  @ApiResponse(responseCode = "200", description = "All routes, as OpenAPI 3.1.")
  @Get("/openapi.yaml")
  @Produces("application/yaml")
  byte[] yaml() {
    return description.asYaml();
  }

  @Operation(
      operationId = "getOpenApiJson",
      summary = "Get this OpenAPI document as JSON",
      tags = "Service")
  @ApiResponse(responseCode = "200", description = "All routes, as OpenAPI 3.1.")
  @Get("/openapi.json")
  @Produces(MediaType.APPLICATION_JSON)
  byte[] json() {
    return description.asJson();
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
