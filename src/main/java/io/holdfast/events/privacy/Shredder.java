package io.holdfast.events.privacy;

import io.holdfast.events.EventJson;
import io.holdfast.events.EventSequencer;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Makes the personal data of one person permanently unreadable, in one transaction per idempotency
/// token. The person's key is destroyed; holds and commitments keep their ids, times and states,
/// and get a pseudonym as requester.
@Singleton
final class Shredder {
  private final IdempotencyStore store;
  private final IdempotencyHttp http;
  private final EventSequencer sequencer;

  Shredder(IdempotencyStore store, IdempotencyHttp http, EventSequencer sequencer) {
    this.store = store;
    this.http = http;
    this.sequencer = sequencer;
  }

  IdempotentResult shred(
      IdempotentRouteCall call, String subject, Map<String, @Nullable Object> body) {
    return store.once(
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
  }

  private Answer shred(
      Connection connection, IdempotentRouteCall call, String subject, JsonFields fields)
      throws SQLException {
    var body = ShredBody.read(fields);
    if (subject.chars().anyMatch(Character::isISOControl)) {
      return http.stored(
          notKnown()); // no requester contains control characters, and Postgres refuses some
    }
    var person = new DataSubject(body.caller() == null ? call.caller() : body.caller(), subject);
    if (ShreddingSql.hasLiveHolds(connection, person)) {
      return http.stored(active());
    }
    sequencer.numberAll(connection); // encrypts the events that wait for a number
    if (!ShreddingSql.isKnown(connection, person)) {
      return http.stored(notKnown());
    }
    var shredding = ShreddingSql.shred(connection, person, call.caller(), body.correlationId());
    return http.stored(HttpStatus.OK, Report.of(subject, shredding));
  }

  private static Problem active() {
    return Problem.refused(
        HttpStatus.CONFLICT,
        "subject-active",
        "This subject has live holds; release them or let them end, then shred again.");
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

    static Report of(String subject, ShreddingSql.Shredding shredding) {
      return new Report(
          subject,
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
