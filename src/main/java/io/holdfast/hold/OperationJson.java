package io.holdfast.hold;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.holdfast.commitment.Operation;
import io.holdfast.hold.HoldOutcome.TokenFound;
import io.holdfast.idempotency.EntryVersion;
import io.holdfast.idempotency.Token;
import io.holdfast.idempotency.store.StoredRequests;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.StoredOutcome;
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
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Writes a recorded call as JSON, with the response that it got.
@Singleton
final class OperationJson {
  private static final JsonFactory JSON = new JsonFactory();

  private final ObjectMapper mapper;
  private final List<RecordedResponses> responses;

  OperationJson(ObjectMapper mapper, List<RecordedResponses> responses) {
    this.mapper = mapper;
    this.responses = responses;
  }

  HttpResponse<?> of(Pool pool, String caller, Operation known) {
    return response(
        known.token(),
        pool.name(),
        known.action().word(),
        shown(response(pool, caller, known.version(), known.outcome(), known.hold())),
        known.recordedAt(),
        known.attempts());
  }

  /// Of a call that Postgres has not recorded yet.
  HttpResponse<?> of(Pool pool, String caller, Token token, TokenFound known, long replays) {
    var outcome = known.outcome();
    return response(
        token,
        pool.name(),
        known.action().word(),
        outcome == null ? null : shown(response(pool, caller, known.version(), outcome, null)),
        known.recordedAt(),
        1 + replays);
  }

  HttpResponse<?> of(Token token, StoredRequests.Found known) {
    var answer = known.answer();
    return response(
        token,
        known.pool(),
        known.route(),
        new Shown(known.status(), answer == null ? null : text(answer.body())),
        known.recordedAt(),
        known.attempts());
  }

  static HttpResponse<?> unknown() {
    return HoldResponses.problem(
        Problem.refused(
            HttpStatus.NOT_FOUND,
            "not-known",
            "There is no record of such a call now; it may still arrive, and the same token sent"
                + " again decides."));
  }

  /// The response to the call.
  ///
  /// @param body null if it is not shown
  private record Shown(int status, @Nullable String body) {}

  private HttpResponse<?> response(
      Pool pool,
      String caller,
      EntryVersion version,
      StoredOutcome outcome,
      @Nullable HoldId hold) {
    for (var each : responses) {
      if (each.kind() == pool.kind()) {
        return each.of(pool, caller, version, outcome, hold);
      }
    }
    return HoldResponses.of(pool, version, outcome);
  }

  private Shown shown(HttpResponse<?> response) {
    var body = response.body();
    try {
      return new Shown(
          response.code(),
          text(body instanceof byte[] bytes ? bytes : mapper.writeValueAsBytes(body)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static HttpResponse<?> response(
      Token token,
      @Nullable PoolName pool,
      String action,
      @Nullable Shown result,
      Instant recordedAt,
      long attempts) {
    var bytes = new ByteArrayOutputStream();
    try (var json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeStringField("token", text(token));
      json.writeStringField("pool", pool == null ? null : pool.value());
      json.writeStringField("action", action);
      json.writeStringField("status", result == null ? "RUNNING" : "DONE");
      json.writeFieldName("result");
      write(json, result);
      HoldJson.time(json, "recordedAt", recordedAt);
      json.writeNumberField("attempts", attempts);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return HoldResponses.json(HttpStatus.OK, bytes.toByteArray());
  }

  private static void write(JsonGenerator json, @Nullable Shown result) throws IOException {
    if (result == null) {
      json.writeNull();
      return;
    }
    json.writeStartObject();
    json.writeNumberField("status", result.status);
    json.writeFieldName("body");
    json.writeRawValue(result.body == null ? "null" : result.body);
    json.writeEndObject();
  }

  /// Tokens are bytes; nearly all of them are UTF-8.
  private static String text(Token token) {
    return text(token.value().getBytes(StandardCharsets.ISO_8859_1));
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
