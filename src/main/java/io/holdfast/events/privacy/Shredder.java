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

/// Makes all that events and records say of a person unreadable, for good: the key of the person is
/// destroyed, and holds and commitments keep their ids, times and states without it. One
/// transaction, once for each token.
@Singleton
final class Shredder {
  private final IdempotencyStore results;
  private final IdempotencyHttp once;
  private final EventSequencer numbering;

  Shredder(IdempotencyStore results, IdempotencyHttp once, EventSequencer numbering) {
    this.results = results;
    this.once = once;
    this.numbering = numbering;
  }

  IdempotentResult shred(
      IdempotentRouteCall call, String subject, Map<String, @Nullable Object> body) {
    return results.once(
        call,
        transaction -> {
          try {
            return shred(transaction.connection(), call, subject, JsonFields.of(body));
          } catch (InvalidField e) {
            return once.stored(e.problem());
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
      return once.stored(notKnown()); // no requester has such a name, and Postgres takes none
    }
    var person = new DataSubject(body.caller() == null ? call.caller() : body.caller(), subject);
    if (ShreddingSql.hasLiveHolds(connection, person)) {
      return once.stored(active());
    }
    numbering.all(connection);
    if (!ShreddingSql.isKnown(connection, person)) {
      return once.stored(notKnown());
    }
    var shredding = ShreddingSql.shred(connection, person, call.caller(), body.correlationId());
    return once.stored(HttpStatus.OK, Report.of(subject, shredding));
  }

  private static Problem active() {
    return Problem.refused(
        HttpStatus.CONFLICT,
        "subject-active",
        "This subject has holds that are live; release them or let them end, then shred.");
  }

  private static Problem notKnown() {
    return Problem.refused(
        HttpStatus.NOT_FOUND, "not-known", "Nothing is known of such a subject of this caller.");
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

    static Report of(String subject, ShreddingSql.Shredding done) {
      return new Report(
          subject,
          done.correlationId(),
          EventJson.moment(done.shreddedAt()),
          done.unreadable().fields(),
          done.unreadable().parts(),
          done.unreadable().events(),
          done.redacted().holds(),
          done.redacted().commitments());
    }
  }
}
