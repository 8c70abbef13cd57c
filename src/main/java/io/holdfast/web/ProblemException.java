package io.holdfast.web;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;

/// Ends a request with a problem. Filters throw it, because an asynchronous filter of Micronaut can
/// pass a request on or fail, but not respond. It has no stack trace, because refusing a request
/// has to cost less than serving it.
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient MutableHttpResponse<Problem> response;

  public ProblemException(Problem problem) {
    super(problem.detail(), null, false, false);
    this.response =
        HttpResponse.<Problem>status(HttpStatus.valueOf(problem.status()))
            .body(problem)
            .contentType(Problem.MEDIA_TYPE);
  }

  public ProblemException with(String header, String value) {
    response.header(header, value);
    return this;
  }

  MutableHttpResponse<Problem> response() {
    return response;
  }
}
