package io.holdfast.stream;

import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.stream.AppendOutcome.Appended;
import io.holdfast.stream.AppendOutcome.OtherCaller;
import io.holdfast.stream.AppendOutcome.VersionConflict;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpStatus;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Appends to the stream of a business key, once for each token. The events and the answer are
/// written in one transaction.
@Singleton
final class StreamService {
  private final IdempotencyStore store;
  private final StreamAppender appender;
  private final DeterministicStreamIds ids;
  private final MutableFields mutableFields;
  private final IdempotencyHttp http;

  StreamService(
      IdempotencyStore store,
      StreamAppender appender,
      DeterministicStreamIds ids,
      StreamSettings settings,
      IdempotencyHttp http) {
    this.store = store;
    this.appender = appender;
    this.ids = ids;
    this.mutableFields = settings.mutableFields();
    this.http = http;
  }

  IdempotentResult append(IdempotentRouteCall call, Map<String, @Nullable Object> body) {
    return store.once(
        call,
        transaction -> {
          try {
            var request = AppendBody.read(JsonFields.of(body));
            return append(transaction.connection(), call.caller(), request);
          } catch (InvalidField e) {
            return http.stored(e.problem());
          } catch (SQLException e) {
            throw PostgresUnavailable.nothingChanged(e);
          }
        });
  }

  /// A stream that exists is extended whatever its field is called: the list of mutable fields may
  /// have become longer since it was created.
  private Answer append(Connection connection, String caller, AppendBody request)
      throws SQLException {
    if (request.isCreate() && isMutable(request)) {
      return http.stored(mutableField(request.field()));
    }
    var append =
        new Append(
            caller,
            request.entityType(),
            ids.idsUnderAllKeys(request.entityType(), request.businessKey()),
            request.expectedVersion(),
            request.eventRows());
    return answer(request, appender.append(connection, append));
  }

  private boolean isMutable(AppendBody request) {
    return Boolean.TRUE.equals(request.mutable()) || mutableFields.contains(request.field());
  }

  /// A create expects version 0, so any other version means that the value is taken.
  private Answer answer(AppendBody request, AppendOutcome outcome) {
    return switch (outcome) {
      case Appended(var streamId, var version) ->
          http.stored(HttpStatus.CREATED, new StreamJson.Appended(streamId, version));
      case VersionConflict(_) when request.isCreate() ->
          http.stored(
              HttpStatus.CONFLICT,
              StreamConflict.uniqueConstraintViolation(request.field(), request.businessKey()));
      case VersionConflict(var actual) ->
          http.stored(
              HttpStatus.CONFLICT,
              StreamConflict.versionConflict(request.expectedVersion(), actual));
      case OtherCaller() -> http.stored(notKnown());
    };
  }

  private static Problem mutableField(String field) {
    var detail =
        "The value of %s can change, and the id of a stream cannot: the old value would stay taken"
                .formatted(field)
            + " and the new one would not be protected. Nothing was created. Use the pattern"
            + " Reservation for this field; GET /v1/patterns explains the choice.";
    return Problem.refused(HttpStatus.UNPROCESSABLE_ENTITY, "mutable-field", detail).about("field");
  }

  static Problem notKnown() {
    return Problem.refused(
        HttpStatus.NOT_FOUND, "not-known", "There is no such stream of this caller.");
  }
}
