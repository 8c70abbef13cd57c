package io.holdfast.events.privacy;

import io.holdfast.events.EventJson;
import io.holdfast.events.EventSequencer;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentResult.Done;
import io.holdfast.idempotency.store.IdempotentResult.Replayed;
import io.holdfast.idempotency.store.IdempotentResult.Unknown;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.subject.DataSubject;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Makes the personal data of one person permanently unreadable, in one transaction per idempotency
/// token. The person's key is destroyed, and with it the way from the name to the pseudonym in
/// append-only tables; holds and commitments keep their ids, times and states, and get another
/// pseudonym as requester. Stored answers and Redis follow, see `UnfinishedErasures`.
@Singleton
final class Shredder {
  private final IdempotencyStore store;
  private final IdempotencyHttp http;
  private final EventSequencer sequencer;
  private final RedisErasure redis;
  private final UnfinishedErasures erasures;

  Shredder(
      IdempotencyStore store,
      IdempotencyHttp http,
      EventSequencer sequencer,
      RedisErasure redis,
      UnfinishedErasures erasures) {
    this.store = store;
    this.http = http;
    this.sequencer = sequencer;
    this.redis = redis;
    this.erasures = erasures;
  }

  /// The result, which is `Unknown` if Postgres or Redis has gone away before the rest was done.
  IdempotentResult shred(
      IdempotentRouteCall call, String subject, Map<String, @Nullable Object> body) {
    redis.drain();
    var result =
        store.once(
            call,
            transaction -> {
              try {
                return shred(transaction.connection(), call, subject, JsonFields.of(body));
              } catch (InvalidField e) {
                return http.stored(e.problem());
              } catch (SQLException e) {
                throw PostgresUnavailable.nothingChanged(e);
              }
            });
    if (!isShredded(result)) {
      return result;
    }
    var person = person(call, subject, ShredBody.read(JsonFields.of(body)));
    return erasures.finish(person) ? result : new Unknown();
  }

  private static boolean isShredded(IdempotentResult result) {
    return result instanceof Done(var answer) && answer.status() == HttpStatus.OK.getCode()
        || result instanceof Replayed(var again) && again.status() == HttpStatus.OK.getCode();
  }

  private static DataSubject person(IdempotentRouteCall call, String subject, ShredBody body) {
    var caller = body.callerName();
    return new DataSubject(caller == null ? call.caller() : caller, subject);
  }

  private Answer shred(
      Connection connection, IdempotentRouteCall call, String subject, JsonFields fields)
      throws SQLException {
    var body = ShredBody.read(fields);
    if (subject.chars().anyMatch(Character::isISOControl)) {
      return http.stored(
          notKnown()); // no requester contains control characters, and Postgres refuses some
    }
    var person = person(call, subject, body);
    sequencer.numberAll(connection); // first, because others take its lock before that of a key
    ShreddingSql.lock(connection, person);
    if (ShreddingSql.isActive(connection, person)) {
      return http.stored(active());
    }
    if (!ShreddingSql.isKnown(connection, person)) {
      return http.stored(notKnown());
    }
    var redacted = ShreddingSql.redact(connection, person);
    encryptEventsOfOthers(connection);
    var shredding =
        ShreddingSql.destroyKey(connection, person, redacted, call.caller(), body.correlationId());
    return http.stored(HttpStatus.OK, Report.of(shredding));
  }

  /// Transactions that this one has waited for have written events with the requester. Those get
  /// the key that is about to be destroyed, and no later one has the requester.
  private void encryptEventsOfOthers(Connection connection) throws SQLException {
    sequencer.numberAll(connection);
  }

  /// The stored report does not have the subject, which is in the address of every retry.
  static UnaryOperator<Answer> naming(String subject) {
    return stored -> {
      if (stored.status() != HttpStatus.OK.getCode()) {
        return stored;
      }
      var report = new LinkedHashMap<String, @Nullable Object>();
      report.putAll(EventJson.read(new String(stored.body(), StandardCharsets.UTF_8)));
      report.put("subject", subject);
      return new Answer(stored.status(), EventJson.write(report).getBytes(StandardCharsets.UTF_8));
    };
  }

  private static Problem active() {
    return Problem.refused(
        HttpStatus.CONFLICT,
        "subject-active",
        "This subject has live holds, tickets or checkouts; let them end, then shred again.");
  }

  private static Problem notKnown() {
    return Problem.refused(HttpStatus.NOT_FOUND, "not-known", "This caller has no such subject.");
  }

  /// What a shredding made unreadable.
  ///
  /// @param fieldsShredded the fields of events that had personal values
  /// @param parts the number of those values
  @Serdeable
  @Schema(name = "ShredReport")
  record Report(
      String subject,
      String correlationId,
      String shreddedAt,
      List<String> fieldsShredded,
      long parts,
      long events,
      long holds,
      long commitments) {

    static Report of(ShreddingSql.Shredding shredding) {
      return new Report(
          "",
          shredding.correlationId(),
          EventJson.timestamp(shredding.shreddedAt()),
          shredding.unreadable().fields(),
          shredding.unreadable().parts(),
          shredding.unreadable().events(),
          shredding.redacted().holds(),
          shredding.redacted().commitments());
    }
  }
}
