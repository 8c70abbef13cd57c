package io.holdfast.commitment;

import io.holdfast.commitment.CommitOutcome.Collision;
import io.holdfast.commitment.CommitOutcome.Drift;
import io.holdfast.commitment.CommitOutcome.NotDecided;
import io.holdfast.commitment.CommitOutcome.Running;
import io.holdfast.commitment.CommitOutcome.Superseded;
import io.holdfast.commitment.CommitOutcome.Unknown;
import io.holdfast.commitment.TokenTable.Spent;
import io.holdfast.events.HoldEvents;
import io.holdfast.pool.EndReason;
import io.holdfast.pool.HoldRecord;
import io.holdfast.postgres.Columns;
import io.holdfast.postgres.ConnectionPool;
import io.holdfast.postgres.LoneRow;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Releases and expires holds that are pinned, on their rows: whoever is first there, this or a
/// sale, is the only one.
@Singleton
final class PinnedHoldEnder {
  private static final String UNIQUE_VIOLATION = "23505";

  private static final Logger LOG = LoggerFactory.getLogger(PinnedHoldEnder.class);

  private static final String LOCK =
      """
      SELECT set_config('lock_timeout', ?, true);
      SELECT pg_advisory_xact_lock(?);
      SELECT clock_timestamp() AS now, action, digest_function || ':' || digest AS digest, outcome
        FROM (SELECT ?::text AS pool, ?::text AS caller, ?::bytea AS token) given
        LEFT JOIN token_result t
               ON t.pool = given.pool AND t.caller = given.caller AND t.token = given.token
              AND t.window_until > clock_timestamp()
      """;

  private static final String TELL_REDIS =
      "INSERT INTO outbox (pool, hold_id, topic) VALUES (?, ?, 'settle')";

  private final ConnectionPool link;
  private final LostCommitResolver lost;
  private final CommitSettings settings;

  PinnedHoldEnder(ConnectionPool link, LostCommitResolver lost, CommitSettings settings) {
    this.link = link;
    this.lost = lost;
    this.settings = settings;
  }

  CommitOutcome end(EndHoldRequest call) {
    Connection connection;
    try {
      connection = link.connection();
    } catch (SQLException e) {
      return new NotDecided(SaleBatchResult.Cause.AWAY.told());
    }
    try {
      connection.setAutoCommit(false);
      return endOrAgain(connection, call);
    } catch (SQLException e) {
      var cause = SaleBatchResult.rolledBack(e).cause();
      return cause == SaleBatchResult.Cause.LOCKED ? new Running() : new NotDecided(cause.told());
    } finally {
      giveBack(connection);
    }
  }

  /// Where the journal brings the hold at this very moment, Postgres finds its fence taken before
  /// it comes to the conflict that we provide for. The row is there then, and the second try meets
  /// it.
  private CommitOutcome endOrAgain(Connection connection, EndHoldRequest call) throws SQLException {
    try {
      return end(connection, call);
    } catch (SQLException e) {
      if (!UNIQUE_VIOLATION.equals(e.getSQLState())) {
        throw e;
      }
      connection.rollback();
      return end(connection, call);
    }
  }

  private CommitOutcome end(Connection connection, EndHoldRequest call) throws SQLException {
    var seen = look(connection, call);
    if (seen.token != null) {
      return spent(call, seen.token);
    }
    if (!EpochCheck.isPresent(connection, call.pool().name(), call.epoch())) {
      return new Superseded();
    }
    var ended = ended(call, seen.now);
    var isEnded =
        write(connection, List.of(new HoldUpsert(call.pool().name(), ended, ended.pinNo())));
    var outcome = isEnded ? ended.state() + "\t" + ended.format() : ConfirmRules.NOT_HELD;
    var spent =
        new Spent(
            call.action(),
            call.pool(),
            call.caller(),
            call.token(),
            call.digest(),
            outcome,
            seen.now);
    if (isEnded) {
      HoldEvents.insertEnded(connection, call.pool().name(), ended);
    }
    if (!record(connection, call, spent, isEnded)) {
      connection.rollback();
      return new Running(); // the journal brought this very token at this very moment
    }
    return committed(connection, spent);
  }

  private CommitOutcome committed(Connection connection, Spent spent) throws SQLException {
    Optional<Boolean> isCommitted;
    try {
      connection.commit();
      isCommitted = Optional.of(true);
    } catch (SQLException e) {
      if (Transactions.isRefusal(e)) {
        throw e;
      }
      isCommitted = lost.isCommitted(List.of(spent), 0);
    }
    if (isCommitted.isEmpty()) {
      return new Unknown("the end of the transaction is unknown");
    }
    return isCommitted.get()
        ? DecidedRequest.answer(spent.outcome(), false, true)
        : new NotDecided("COMMIT did not arrive");
  }

  private record Seen(Instant now, LockedFacts.@Nullable SpentToken token) {}

  private Seen look(Connection connection, EndHoldRequest call) throws SQLException {
    var pool = call.pool().name().value();
    try (var lock = connection.prepareStatement(LOCK)) {
      lock.setString(1, Long.toString(settings.inflightWait().toMillis()));
      lock.setLong(2, AdvisoryLocks.ofToken(pool, call.caller(), call.token().value()));
      lock.setString(3, pool);
      lock.setString(4, call.caller());
      lock.setBytes(5, Columns.bytes(call.token().value()));
      lock.execute();
      lock.getMoreResults();
      lock.getMoreResults();
      try (var row = lock.getResultSet()) {
        row.next();
        var action = row.getString("action");
        return new Seen(
            Columns.moment(row, "now").truncatedTo(ChronoUnit.MILLIS),
            action == null
                ? null
                : new LockedFacts.SpentToken(
                    action, row.getString("digest"), row.getString("outcome")));
      }
    }
  }

  private static CommitOutcome spent(EndHoldRequest call, LockedFacts.SpentToken token) {
    return switch (ConfirmRules.compare(token, call.action(), call.digest())) {
      case SAME -> DecidedRequest.answer(token.outcome(), true, true);
      case OTHER_FUNCTION -> new Drift(ConfirmRules.function(token.digest()));
      case OTHER -> new Collision();
    };
  }

  /// An end by a time limit is no earlier than that limit, whatever the clocks say.
  private static HoldRecord ended(EndHoldRequest call, Instant now) {
    var hold = call.pinned();
    var earliest =
        call.reason() == EndReason.WINDOW
            ? hold.expiresAt()
            : call.reason() == EndReason.LEASE ? hold.leaseUntil() : hold.placedAt();
    return hold.ended(call.end(), now.isBefore(earliest) ? earliest : now, call.reason());
  }

  private static boolean write(Connection connection, List<HoldUpsert> writes) throws SQLException {
    try (var upsert = connection.prepareStatement(LoneRow.text(HoldUpsert.END))) {
      HoldUpsert.bind(new Columns.Slots(connection, upsert, 1, true), writes);
      return upsert.executeUpdate() == writes.size();
    }
  }

  private static boolean record(
      Connection connection, EndHoldRequest call, Spent spent, boolean isEnded)
      throws SQLException {
    var word = spent.outcome().substring(0, spent.outcome().indexOf('\t'));
    var hold = call.pinned().id(call.pool().name()).toString();
    var tried =
        new AttemptLog.Tried(
            call.action(),
            call.pool().name(),
            call.caller(),
            call.token(),
            null,
            hold,
            null,
            word,
            "");
    return new Writing(connection, true)
        .add(TokenTable.UPSERT, List.of(spent), TokenTable::bind)
        .add(
            TELL_REDIS,
            isEnded ? List.of(hold) : List.of(),
            (slots, _) -> {
              slots.statement().setString(slots.first(), call.pool().name().value());
              slots.statement().setString(slots.first() + 1, hold);
              return slots.first() + 2;
            })
        .add(AttemptLog.INSERT, List.of(tried), AttemptLog::bind)
        .isDone();
  }

  private static void giveBack(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.debug("a connection could not be given back and is dropped", e);
    }
  }
}
