package io.holdfast.hold;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.holdfast.commitment.Operation;
import io.holdfast.hold.HoldOutcome.TokenFound;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.Pool;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.TokenAction;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.ObjectMapper;
import jakarta.inject.Singleton;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// Writes a recorded call as JSON, with the response that it got.
@Singleton
final class OperationJson {
  private static final JsonFactory JSON = new JsonFactory();

  private final ObjectMapper mapper;

  OperationJson(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  HttpResponse<?> of(Pool pool, Operation known) {
    return response(
        pool, known.token(), known.action(), known.outcome(), known.recordedAt(), known.attempts());
  }

  /// A call that Postgres has not recorded yet counts as one attempt.
  HttpResponse<?> of(Pool pool, Token token, TokenFound known) {
    return response(pool, token, known.action(), known.outcome(), known.recordedAt(), 1);
  }

  static HttpResponse<?> unknown() {
    return HoldResponses.problem(
        Problem.refused(
            HttpStatus.NOT_FOUND,
            "not-known",
            "There is no record of such a call now; it may still arrive, and the same token sent"
                + " again decides."));
  }

  private HttpResponse<?> response(
      Pool pool,
      Token token,
      TokenAction action,
      @Nullable StoredOutcome outcome,
      Instant recordedAt,
      long attempts) {
    var bytes = new ByteArrayOutputStream();
    try (var json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeStringField("token", text(token));
      json.writeStringField("pool", pool.name().value());
      json.writeStringField("action", action.word());
      json.writeStringField("status", outcome == null ? "RUNNING" : "DONE");
      json.writeFieldName("result");
      write(json, pool, outcome);
      HoldJson.time(json, "recordedAt", recordedAt);
      json.writeNumberField("attempts", attempts);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return HoldResponses.json(HttpStatus.OK, bytes.toByteArray());
  }

  private void write(JsonGenerator json, Pool pool, @Nullable StoredOutcome outcome)
      throws IOException {
    if (outcome == null) {
      json.writeNull();
      return;
    }
    var response = HoldResponses.of(pool, outcome);
    var body = response.body();
    json.writeStartObject();
    json.writeNumberField("status", response.code());
    json.writeFieldName("body");
    json.writeRawValue(
        new String(
            body instanceof byte[] bytes ? bytes : mapper.writeValueAsBytes(body),
            StandardCharsets.UTF_8));
    json.writeEndObject();
  }

  /// Tokens are bytes; nearly all of them are UTF-8.
  private static String text(Token token) {
    var bytes = token.value().getBytes(StandardCharsets.ISO_8859_1);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
