package io.holdfast.reservation;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/// A `Problem` with the reason and, for the caller that has reserved the value, the reservation.
@Serdeable
@Schema(name = "ReservationProblem")
record ReservationProblem(
    String type,
    String title,
    int status,
    String detail,
    String code,
    boolean definite,
    boolean retryable,
    String reason,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String existingReservationId) {

  static MutableHttpResponse<?> response(ReservationReason reason, String detail) {
    return response(reason, detail, null);
  }

  static MutableHttpResponse<?> response(
      ReservationReason reason, String detail, @Nullable String existing) {
    return HttpResponse.status(reason.status())
        .body(of(reason, detail, existing))
        .contentType(Problem.MEDIA_TYPE);
  }

  static ReservationProblem of(ReservationReason reason, String detail, @Nullable String existing) {
    var problem = Problem.refused(reason.status(), reason.code(), detail);
    return new ReservationProblem(
        problem.type(),
        problem.title(),
        problem.status(),
        problem.detail(),
        problem.code(),
        problem.definite(),
        problem.retryable(),
        reason.name(),
        existing);
  }

  /// The same problem, explained elsewhere.
  ReservationProblem under(String types) {
    return new ReservationProblem(
        types + code,
        title,
        status,
        detail,
        code,
        definite,
        retryable,
        reason,
        existingReservationId);
  }
}
