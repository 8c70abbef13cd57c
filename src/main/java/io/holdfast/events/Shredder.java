package io.holdfast.events;

import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.RequestCall;
import io.holdfast.postgres.RequestOutcome;
import io.holdfast.postgres.RequestOutcome.Answer;
import io.holdfast.postgres.RequestResults;
import io.holdfast.web.Fields;
import io.holdfast.web.InvalidField;
import io.holdfast.web.OncePerToken;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;
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
  private final RequestResults results;
  private final OncePerToken once;
  private final Numbering numbering;

  Shredder(RequestResults results, OncePerToken once, Numbering numbering) {
    this.results = results;
    this.once = once;
    this.numbering = numbering;
  }

  RequestOutcome shred(RequestCall call, String subject, Map<String, @Nullable Object> body) {
    return results.once(
        call,
        transaction -> {
          try {
            return shred(transaction.connection(), call, subject, Fields.of(body));
          } catch (InvalidField e) {
            return once.stored(e.problem());
          } catch (SQLException e) {
            throw PostgresUnavailable.nothingChanged(e);
          }
        });
  }

  private Answer shred(Connection connection, RequestCall call, String subject, Fields fields)
      throws SQLException {
    var caller = fields.optionalText("caller");
    var correlationId = fields.optionalText("correlationId");
    fields.refuseOthers();
    if (subject.chars().anyMatch(Character::isISOControl)) {
      return once.stored(notKnown()); // no requester has such a name, and Postgres takes none
    }
    var person = new Person(caller == null ? call.caller() : caller, subject);
    if (ShreddingSql.hasLiveHolds(connection, person)) {
      return once.stored(active());
    }
    numbering.all(connection);
    if (!ShreddingSql.isKnown(connection, person)) {
      return once.stored(notKnown());
    }
    var shredding = ShreddingSql.shred(connection, person, call.caller(), correlationId);
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

  /// The audit of a shredding.
  ///
  /// @param fieldsShredded where in events the values were; `parts`, how many they were
  @Serdeable
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
