package io.holdfast.stream;

import io.holdfast.stream.UniquenessPattern.Flow;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.OpenApiInfo;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import java.util.Collections;
import org.jspecify.annotations.Nullable;

/// Recommends how to make a field unique.
@Controller("/v1/patterns")
@OpenApiInfo.MayRefuse
@SecurityRequirement(name = OpenApiInfo.KEY)
final class PatternController {
  private final StreamSettings settings;

  PatternController(StreamSettings settings) {
    this.settings = settings;
  }

  /// A field that the deployment has declared mutable counts as mutable whatever the caller says,
  /// because a create of its stream would be refused.
  @Operation(
      operationId = "recommendPattern",
      summary = "Recommend how to make a field unique",
      tags = "Streams")
  @ApiResponse(responseCode = "200", description = "The recommended pattern and the reason.")
  @Get
  @Secured(SecurityRule.IS_AUTHENTICATED)
  Recommended recommend(
      @Parameter(description = "The name of the field.", required = true) @QueryValue
          @Nullable String field,
      @Parameter(description = "`true` or `false`: whether its value can change.", required = true)
          @QueryValue
          @Nullable String mutable,
      @Parameter(
              description = "`single-step` or `multi-step`: how the entity is created.",
              required = true)
          @QueryValue
          @Nullable String flow) {
    var name = JsonFields.of(Collections.singletonMap("field", field)).text("field");
    var isMutable = isTrue(mutable) || settings.mutableFields().contains(name);
    var steps = flow(flow);
    var found = UniquenessPattern.recommend(isMutable, steps);
    return new Recommended(name, isMutable, steps.word(), found.pattern().word(), found.reason());
  }

  private static boolean isTrue(@Nullable String mutable) {
    return switch (mutable) {
      case "true" -> true;
      case "false" -> false;
      case null, default -> throw InvalidField.of("mutable", "has to be true or false");
    };
  }

  private static Flow flow(@Nullable String word) {
    return Flow.of(String.valueOf(word))
        .orElseThrow(() -> InvalidField.of("flow", "has to be single-step or multi-step"));
  }

  /// @param pattern deterministic-id or reservation
  @Serdeable
  @Schema(name = "RecommendedPattern")
  record Recommended(String field, boolean mutable, String flow, String pattern, String reason) {}
}
