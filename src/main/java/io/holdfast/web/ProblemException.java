package io.holdfast.web;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;

/// Ends a request before its route is reached, with a finished answer. Filters throw it, because a
/// filter of Micronaut that decides later can let a request go on or fail, but not answer it. It
/// carries no stack: refusing has to cost less than serving.
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
