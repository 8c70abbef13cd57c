package io.holdfast.web;

import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;

/// A refusal as RFC 9457 writes it. `code` is the reason that a program acts on, `detail` tells a
/// person what happens next; `definite` says whether nothing was done for sure, `retryable` whether
/// the same request can succeed later.
@Serdeable
record Problem(
    String type,
    String title,
    int status,
    String detail,
    String code,
    boolean definite,
    boolean retryable) {

  static final String MEDIA_TYPE = "application/problem+json";
  private static final String TYPES = "https://holdfast.dev/problems/";

  /// The request was not carried out, for sure.
  static Problem refused(HttpStatus status, String code, String detail) {
    var isRetryable = status == HttpStatus.TOO_MANY_REQUESTS;
    return new Problem(
        TYPES + code, status.getReason(), status.getCode(), detail, code, true, isRetryable);
  }

  /// A bug met it half-way: nobody can say how far it got.
  static Problem unforeseen(HttpStatus status) {
    return new Problem(
        TYPES + "internal-error",
        status.getReason(),
        status.getCode(),
        "The service met an error of its own; the log has it under this answer's Trace-Id.",
        "internal-error",
        false,
        true);
  }
}
