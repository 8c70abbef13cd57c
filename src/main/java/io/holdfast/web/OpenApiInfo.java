package io.holdfast.web;

import io.swagger.v3.oas.annotations.OpenAPIDefinition;
import io.swagger.v3.oas.annotations.enums.SecuritySchemeType;
import io.swagger.v3.oas.annotations.info.Info;
import io.swagger.v3.oas.annotations.info.License;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityScheme;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// The parts of the OpenAPI document that belong to no single route.
@OpenAPIDefinition(
    info =
        @Info(
            title = "Holdfast",
            version = "1",
            description = "Holds seats for a limited time, then sells each to exactly one buyer.",
            license =
                @License(name = "Apache-2.0", url = "https://www.apache.org/licenses/LICENSE-2.0")))
@SecurityScheme(
    name = OpenApiInfo.KEY,
    type = SecuritySchemeType.HTTP,
    scheme = "bearer",
    description = "An API key (in demo mode: hf_demo_key), or a JWT.")
public final class OpenApiInfo {
  /// The name of the security scheme, for the routes that need a key.
  public static final String KEY = "key";

  private OpenApiInfo() {}

  /// Describes the refusals that every route may answer with.
  @ApiResponse(
      responseCode = "4XX",
      description = "The request was refused. A 429 `rate-limited` has a Retry-After header.",
      content =
          @Content(
              mediaType = Problem.MEDIA_TYPE,
              schema = @Schema(implementation = Problem.class)))
  @ApiResponse(
      responseCode = "5XX",
      description =
          "storage-failure or overloaded, with a Retry-After header. If `definite` is true, nothing"
              + " was done.",
      content =
          @Content(
              mediaType = Problem.MEDIA_TYPE,
              schema = @Schema(implementation = Problem.class)))
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.TYPE)
  public @interface MayRefuse {}
}
