package io.holdfast.idempotency.http;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.EntryVersion;
import io.holdfast.idempotency.MalformedToken;
import io.holdfast.idempotency.Token;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentResult.Collision;
import io.holdfast.idempotency.store.IdempotentResult.Done;
import io.holdfast.idempotency.store.IdempotentResult.Replayed;
import io.holdfast.idempotency.store.IdempotentResult.Unknown;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.web.InvalidField;
import io.holdfast.web.Problem;
import io.holdfast.web.ProblemHandlers;
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

/// The HTTP side of idempotent routes. A controller reads the `token` of the request, makes a
/// `call` of it, runs that with `IdempotencyStore.once`, which stores an `Answer` made by `stored`,
/// and responds with `answer`. The first response and every replay have equal status and bytes.
@Singleton
public final class IdempotencyHttp {
  public static final String HEADER = "Idempotency-Key";
  public static final String REPLAYED = "Idempotent-Replayed";

  private final RequestSettings settings;
  private final ObjectMapper json;

  IdempotencyHttp(RequestSettings settings, ObjectMapper json) {
    this.settings = settings;
    this.json = json;
  }

  /// @throws InvalidField if the token is missing or malformed
  public Token token(HttpHeaders headers) {
    return switch (Token.read(headers.getAll(HEADER), settings.tokenMaxLength())) {
      case Token token -> token;
      case MalformedToken(var sentence) -> throw new InvalidField(HEADER, sentence);
    };
  }

  /// The version of the entries that this instance writes.
  public EntryVersion entryVersion() {
    return settings.entryVersion();
  }

  public IdempotentRouteCall call(
      String caller, IdempotentRouteCall.Route route, Token token, Digest digest) {
    return new IdempotentRouteCall(caller, route, token, digest, settings.idempotencyWindow());
  }

  /// The stored form of a success.
  public Answer stored(HttpStatus status, Object body) {
    return new Answer(status.getCode(), bytes(body));
  }

  /// The stored form of a refusal. It is replayed like a success.
  public Answer stored(Problem problem) {
    return new Answer(problem.status(), bytes(problem));
  }

  public HttpResponse<?> answer(IdempotentResult result) {
    return answer(result, UnaryOperator.identity());
  }

  /// @param shown turns the stored answer into the one that is sent, the same way each time
  public HttpResponse<?> answer(IdempotentResult result, UnaryOperator<Answer> shown) {
    return switch (result) {
      case Done(var answer) -> response(shown.apply(answer));
      case Replayed(var answer) -> response(shown.apply(answer)).header(REPLAYED, "true");
      case Collision() -> collision();
      case Unknown() -> ProblemHandlers.unavailable(false);
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
