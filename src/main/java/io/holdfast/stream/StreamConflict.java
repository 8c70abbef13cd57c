package io.holdfast.stream;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A refused append, as a problem with more fields.
///
/// @param field that the caller named as unique
/// @param value the business key as this caller has sent it
/// @param actualVersion of the stream, 0 if there is none
@Serdeable
@Schema(name = "StreamConflict")
record StreamConflict(
    String type,
    String title,
    int status,
    String detail,
    String code,
    boolean definite,
    boolean retryable,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String field,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<String> value,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long actualVersion) {

  /// Says nothing about the existing stream, which may belong to another caller.
  static StreamConflict uniqueConstraintViolation(String field, List<String> value) {
    var detail =
        "This value of %s is taken: a stream of this entity type and business key exists."
            .formatted(field);
    var problem = Problem.refused(HttpStatus.CONFLICT, "unique-constraint-violation", detail);
    return of(problem, field, value, null);
  }

  static StreamConflict versionConflict(long expected, long actual) {
    var detail =
        actual == 0
            ? "There is no such stream; create it with expectedVersion 0."
            : "The stream has version %d and not %d; read it, decide again and append to that version."
                .formatted(actual, expected);
    var problem = Problem.refused(HttpStatus.CONFLICT, "version-conflict", detail);
    return of(problem, null, null, actual);
  }

  private static StreamConflict of(
      Problem problem,
      @Nullable String field,
      @Nullable List<String> value,
      @Nullable Long actualVersion) {
    return new StreamConflict(
        problem.type(),
        problem.title(),
        problem.status(),
        problem.detail(),
        problem.code(),
        problem.definite(),
        problem.retryable(),
        field,
        value,
        actualVersion);
  }
}
