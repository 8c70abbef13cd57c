package io.holdfast.web;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.MalformedToken;
import io.holdfast.idempotency.Token;
import io.holdfast.postgres.RequestCall;
import io.holdfast.postgres.RequestOutcome;
import io.holdfast.postgres.RequestOutcome.Answer;
import io.holdfast.postgres.RequestOutcome.Collision;
import io.holdfast.postgres.RequestOutcome.Done;
import io.holdfast.postgres.RequestOutcome.Replayed;
import io.holdfast.postgres.RequestOutcome.Unknown;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.serde.ObjectMapper;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.UnaryOperator;

/// The HTTP side of idempotency: finds the token in the headers, and turns what came of a call into
/// an answer. The first answer and every replay have the same status and the same bytes.
@Singleton
public final class OncePerToken {
  public static final String HEADER = "Idempotency-Key";
  public static final String REPLAYED = "Idempotent-Replayed";

  private final RequestSettings settings;
  private final ObjectMapper json;

  OncePerToken(RequestSettings settings, ObjectMapper json) {
    this.settings = settings;
    this.json = json;
  }

  /// @throws InvalidField if there is no token, or none that is well formed
  public Token token(HttpHeaders headers) {
    return switch (Token.read(headers.getAll(HEADER), settings.tokenMaxLength())) {
      case Token token -> token;
      case MalformedToken(var sentence) -> throw new InvalidField(HEADER, sentence);
    };
  }

  public RequestCall call(String caller, RequestCall.Route route, Token token, Digest digest) {
    return new RequestCall(caller, route, token, digest, settings.idempotencyWindow());
  }

  /// What is stored of a success.
  public Answer stored(HttpStatus status, Object body) {
    return new Answer(status.getCode(), bytes(body));
  }

  /// What is stored of a refusal that was decided on what was asked.
  public Answer stored(Problem problem) {
    return new Answer(problem.status(), bytes(problem));
  }

  public HttpResponse<?> answer(RequestOutcome outcome) {
    return answer(outcome, UnaryOperator.identity());
  }

  /// @param shown turns what is stored into what is shown, the same way each time
  public HttpResponse<?> answer(RequestOutcome outcome, UnaryOperator<Answer> shown) {
    return switch (outcome) {
      case Done(var answer) -> response(shown.apply(answer));
      case Replayed(var answer) -> response(shown.apply(answer)).header(REPLAYED, "true");
      case Collision() -> collision();
      case Unknown() -> RefusalHandlers.unavailable(false);
    };
  }

  private static MutableHttpResponse<byte[]> response(Answer answer) {
    return HttpResponse.<byte[]>status(HttpStatus.valueOf(answer.status()))
        .body(answer.body())
        .contentType(answer.status() < 400 ? MediaType.APPLICATION_JSON : Problem.MEDIA_TYPE);
  }

  private static HttpResponse<Problem> collision() {
    var problem = Problem.collision();
    return HttpResponse.<Problem>status(HttpStatus.UNPROCESSABLE_ENTITY)
        .body(problem)
        .contentType(Problem.MEDIA_TYPE);
  }

  private byte[] bytes(Object body) {
    try {
      return json.writeValueAsBytes(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
