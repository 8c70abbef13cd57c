package io.holdfast.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A refusal as RFC 9457 writes it. `code` is the reason that a program acts on, `detail` tells a
/// person what happens next; `definite` says whether nothing was done for sure, `retryable` whether
/// the same request can succeed later.
///
/// @param field the part of the request that is wrong, where one part is to blame
/// @param items the items that stand in the way
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
  private static final String TYPES = "https://holdfast.dev/problems/";

  /// The request was not carried out, for sure.
  public static Problem refused(HttpStatus status, String code, String detail) {
    var isRetryable =
        status == HttpStatus.TOO_MANY_REQUESTS || status == HttpStatus.SERVICE_UNAVAILABLE;
    return of(status, code, detail, true, isRetryable);
  }

  /// A part of the request makes no sense; nothing was done.
  public static Problem invalid(@Nullable String field, String detail) {
    return refused(HttpStatus.BAD_REQUEST, "invalid-request", detail).about(field);
  }

  /// The token belongs to another request of this caller.
  public static Problem collision() {
    return refused(
        HttpStatus.UNPROCESSABLE_ENTITY,
        "token-collision",
        "This Idempotency-Key was spent on another request; use a fresh one.");
  }

  /// A server that we need is away. If it is not `definite`, the request may have been carried out,
  /// and the same token sent again tells.
  public static Problem unavailable(boolean definite, String detail) {
    return of(HttpStatus.SERVICE_UNAVAILABLE, "storage-failure", detail, definite, true);
  }

  /// Too many calls wait already, so this one was not begun.
  public static Problem overloaded() {
    return refused(
        HttpStatus.SERVICE_UNAVAILABLE,
        "overloaded",
        "Too many calls wait before this one; nothing was done, ask again with the same token.");
  }

  /// How `Retry-After` says it: whole seconds, and none too few.
  public static String seconds(Duration retryAfter) {
    return Long.toString(retryAfter.plusMillis(999).toSeconds());
  }

  /// The client did not send its request in time. If it is not `definite`, the header was complete
  /// and a route that needs no body may have been carried out.
  public static Problem timeout(boolean definite, String detail) {
    return of(HttpStatus.REQUEST_TIMEOUT, "request-timeout", detail, definite, true);
  }

  /// Somebody else is still at it, so nobody can say yet; the same request can succeed later.
  public static Problem pending(String code, String detail) {
    return of(HttpStatus.CONFLICT, code, detail, false, true);
  }

  /// A bug met it half-way: nobody can say how far it got.
  static Problem unforeseen(HttpStatus status) {
    var detail =
        "The service met an error of its own; the log has it under this answer's Trace-Id.";
    return of(status, "internal-error", detail, false, true);
  }

  public Problem about(@Nullable String faultyField) {
    return new Problem(type, title, status, detail, code, definite, retryable, faultyField, items);
  }

  public Problem naming(List<String> inTheWay) {
    return new Problem(type, title, status, detail, code, definite, retryable, field, inTheWay);
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
