package io.holdfast.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A refusal in the form of RFC 9457.
///
/// @param type the page that explains the code, relative to the service
/// @param detail tells a person what is wrong and what happens next
/// @param code the reason, for programs
/// @param definite true if nothing was done; false if the request may have been carried out
/// @param retryable whether the same request can succeed later
/// @param field the field of the request that is wrong, if it is a single one
/// @param items the items that are not available
@Serdeable
public record Problem(
    String type,
    String title,
    int status,
    String detail,
    String code,
    boolean definite,
    boolean retryable,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String field,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<String> items) {

  public static final String MEDIA_TYPE = "application/problem+json";

  /// Where the problems are explained, on every host that serves this: stored answers have the same
  /// type on all instances and under all addresses.
  public static final String TYPES = "/problems/";

  /// The request was certainly not carried out.
  public static Problem refused(HttpStatus status, String code, String detail) {
    var isRetryable =
        status == HttpStatus.TOO_MANY_REQUESTS || status == HttpStatus.SERVICE_UNAVAILABLE;
    return of(status, code, detail, true, isRetryable);
  }

  /// The request was certainly not carried out, and under its token it never will be.
  public static Problem decided(HttpStatus status, String code, String detail) {
    return of(status, code, detail, true, false);
  }

  /// A field of the request is not allowed. Nothing was done.
  public static Problem invalid(@Nullable String field, String detail) {
    return refused(HttpStatus.BAD_REQUEST, "invalid-request", detail).about(field);
  }

  /// The caller has used the token for another request.
  public static Problem collision() {
    return refused(
        HttpStatus.UNPROCESSABLE_ENTITY,
        "token-collision",
        "This Idempotency-Key was used for another request; use a new one.");
  }

  /// Redis or Postgres is unavailable. If it is not `definite`, the request may have been carried
  /// out, and a retry with the same token returns its outcome.
  public static Problem unavailable(boolean definite, String detail) {
    return of(HttpStatus.SERVICE_UNAVAILABLE, "storage-failure", detail, definite, true);
  }

  /// Too many calls are waiting, so this one was not started.
  public static Problem overloaded() {
    return refused(
        HttpStatus.SERVICE_UNAVAILABLE,
        "overloaded",
        "Too many calls are waiting; nothing was done. Retry with the same Idempotency-Key.");
  }

  /// The value of `Retry-After`: whole seconds, rounded up.
  public static String seconds(Duration retryAfter) {
    return Long.toString(retryAfter.plusMillis(999).toSeconds());
  }

  /// The client did not send its request in time. If it is not `definite`, the header was complete
  /// and a route that needs no body may have been carried out.
  public static Problem timeout(boolean definite, String detail) {
    return of(HttpStatus.REQUEST_TIMEOUT, "request-timeout", detail, definite, true);
  }

  /// Another call is still running, so the outcome is open. The same request can succeed later.
  public static Problem pending(String code, String detail) {
    return of(HttpStatus.CONFLICT, code, detail, false, true);
  }

  /// A bug stopped the request, and how far it got is unknown.
  static Problem unforeseen(HttpStatus status) {
    var detail = "An internal error occurred. The log has it under the Trace-Id of this response.";
    return of(status, "internal-error", detail, false, true);
  }

  public Problem about(@Nullable String wrongField) {
    return new Problem(type, title, status, detail, code, definite, retryable, wrongField, items);
  }

  public Problem naming(List<String> unavailable) {
    return new Problem(type, title, status, detail, code, definite, retryable, field, unavailable);
  }

  /// The same problem, explained elsewhere.
  ///
  /// @param types in place of `TYPES`
  public Problem under(String types) {
    return new Problem(
        types + code, title, status, detail, code, definite, retryable, field, items);
  }

  private static Problem of(
      HttpStatus status, String code, String detail, boolean definite, boolean retryable) {
    return new Problem(
        TYPES + code,
        status.getReason(),
        status.getCode(),
        detail,
        code,
        definite,
        retryable,
        null,
        null);
  }
}
