package io.holdfast.commitment;

import io.holdfast.commitment.CommitOutcome.Collision;
import io.holdfast.commitment.CommitOutcome.Drift;
import io.holdfast.commitment.CommitOutcome.NotDecided;
import io.holdfast.commitment.CommitOutcome.Running;
import io.holdfast.commitment.CommitOutcome.Superseded;
import io.holdfast.commitment.CommitOutcome.Unknown;
import io.holdfast.commitment.sale.AdvisoryLocks;
import io.holdfast.commitment.sale.ConfirmRules;
import io.holdfast.commitment.sale.DecidedRequest;
import io.holdfast.commitment.sale.HoldColumns;
import io.holdfast.commitment.sale.LockedFacts;
import io.holdfast.commitment.sale.LostCommitResolver;
import io.holdfast.commitment.sale.LostCommitResolver.TokenRow;
import io.holdfast.commitment.sale.SaleBatchResult;
import io.holdfast.events.HoldEvents;
import io.holdfast.idempotency.store.ReplayLog;
import io.holdfast.pool.EndReason;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.OutcomeCodec;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.pool.TokenAction;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.ConnectionPool;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Releases and expires pinned holds by updating their rows. Row locks order this and a sale: the
/// first to commit ends the hold.
@Singleton
public final class PinnedHoldEnder {
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

  /// Writes nothing if the hold has ended, has a newer pin, or is claimed by a checkout.
  private static final String END =
      """
      INSERT INTO hold AS old
             (pool, hold_id, caller, requester, items, quantity, metadata, fence, salt, token,
              placed_at, lease_until, lease_ms, expires_at, pin_no, state, ended_at, end_reason,
              pseudonym)
      SELECT pool, hold_id, caller, requester, string_to_array(items, E'\\n'), quantity,
             metadata, fence, salt, placing_token, to_timestamp(placed_ms::float8 / 1000),
             to_timestamp(lease_until_ms::float8 / 1000), lease_ms,
             to_timestamp(expires_ms::float8 / 1000), pin_no, state::hold_state,
             to_timestamp(ended_ms::float8 / 1000), end_reason::hold_end_reason,
             (SELECT k.pseudonym FROM person_key k
               WHERE k.person_hash = given.person_hash AND k.secret IS NOT NULL)
        FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS hold_id,
                     unnest(?::text[]) AS caller, unnest(?::text[]) AS requester,
                     unnest(?::bytea[]) AS person_hash,
                     unnest(?::text[]) AS items, unnest(?::bigint[]) AS quantity,
                     unnest(?::text[]) AS metadata, unnest(?::bigint[]) AS fence,
                     unnest(?::text[]) AS salt, unnest(?::bytea[]) AS placing_token,
                     unnest(?::bigint[]) AS placed_ms, unnest(?::bigint[]) AS lease_until_ms,
                     unnest(?::bigint[]) AS lease_ms, unnest(?::bigint[]) AS expires_ms,
                     unnest(?::bigint[]) AS pin_no, unnest(?::text[]) AS state,
                     unnest(?::bigint[]) AS ended_ms, unnest(?::text[]) AS end_reason) AS given
          ON CONFLICT (pool, hold_id) DO UPDATE
             SET state = EXCLUDED.state, pin_no = EXCLUDED.pin_no, ended_at = EXCLUDED.ended_at,
                 end_reason = EXCLUDED.end_reason, lease_until = EXCLUDED.lease_until
           WHERE old.state = 'HELD' AND old.pin_no <= EXCLUDED.pin_no AND old.pin_no % 2 = 0
      """;

  /// The result of the token, the outbox entry if the hold has ended, and the attempt.
  private static final String RECORD =
      """
      INSERT INTO token_result AS old
             (pool, caller, token, action, digest, digest_function, outcome, recorded_at,
              window_until)
      SELECT ?, ?, ?, ?::token_action, split_part(digest, ':', 2), split_part(digest, ':', 1), ?,
             at, at + ? * interval '1 millisecond'
        FROM (SELECT ?::text AS digest, to_timestamp(?::float8 / 1000) AS at) AS given
          ON CONFLICT (pool, caller, token) DO UPDATE
             SET action = EXCLUDED.action, digest = EXCLUDED.digest,
                 digest_function = EXCLUDED.digest_function, outcome = EXCLUDED.outcome,
                 recorded_at = EXCLUDED.recorded_at, window_until = EXCLUDED.window_until
           WHERE old.window_until <= clock_timestamp();
      INSERT INTO outbox (pool, hold_id, topic) SELECT ?, ?, 'settle' WHERE ?;
      INSERT INTO attempt (pool, caller, token, action, hold_id, outcome, detail)
      VALUES (?, ?, ?, ?::token_action, ?, ?, '')
      """;

  private final ConnectionPool link;
  private final LostCommitResolver lost;
  private final ReplayLog replays;
  private final CommitSettings settings;

  public PinnedHoldEnder(
      ConnectionPool link, LostCommitResolver lost, ReplayLog replays, CommitSettings settings) {
    this.link = link;
    this.lost = lost;
    this.replays = replays;
    this.settings = settings;
  }

  CommitOutcome end(EndHoldRequest call) {
    Connection connection;
    try {
      connection = link.connection();
    } catch (SQLException e) {
      return new NotDecided(SaleBatchResult.Cause.AWAY.message());
    }
    try {
      connection.setAutoCommit(false);
      return endWithRetry(connection, call);
    } catch (SQLException e) {
      var cause = SaleBatchResult.rolledBack(e).cause();
      return cause == SaleBatchResult.Cause.LOCKED
          ? new Running()
          : new NotDecided(cause.message());
    } finally {
      close(connection);
    }
  }

  /// If the journal drain inserts the hold at the same time, the unique index on the fence fails
  /// before the ON CONFLICT clause applies. The row exists by then, so the second try succeeds.
  private CommitOutcome endWithRetry(Connection connection, EndHoldRequest call)
      throws SQLException {
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
    var seen = lockAndRead(connection, call);
    if (seen.token != null) {
      return replay(call, seen.token);
    }
    if (!EpochCheck.isPresent(connection, call.pool().name(), call.epoch())) {
      return new Superseded();
    }
    var ended = ended(call, seen.now);
    var isEnded = write(connection, call.pool().name(), ended);
    var outcome = isEnded ? outcome(ended) : Reason.NOT_HELD;
    var spent =
        new TokenRow(
            call.action(),
            call.pool(),
            call.caller(),
            call.token(),
            OutcomeCodec.format(outcome),
            seen.now);
    if (isEnded) {
      HoldEvents.insertEnded(connection, call.pool().name(), ended);
    }
    if (!record(connection, call, outcome, spent)) {
      connection.rollback();
      return new Running(); // the journal drain wrote this token at the same time
    }
    return commit(connection, outcome, spent);
  }

  private static StoredOutcome outcome(HoldRecord ended) {
    return ended.state() == HoldState.RELEASED
        ? new StoredOutcome.Released(ended)
        : new StoredOutcome.Expired(ended);
  }

  private CommitOutcome commit(Connection connection, StoredOutcome outcome, TokenRow spent)
      throws SQLException {
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
        ? DecidedRequest.answer(outcome, false, true)
        : new NotDecided("COMMIT did not arrive");
  }

  private record Seen(Instant now, LockedFacts.@Nullable SpentToken token) {}

  private Seen lockAndRead(Connection connection, EndHoldRequest call) throws SQLException {
    var pool = call.pool().name().value();
    try (var lock = connection.prepareStatement(LOCK)) {
      lock.setString(1, Long.toString(settings.inflightWait().toMillis()));
      lock.setLong(2, AdvisoryLocks.ofToken(pool, call.caller(), call.token().value()));
      lock.setString(3, pool);
      lock.setString(4, call.caller());
      lock.setBytes(5, ArrayBinder.bytes(call.token().value()));
      lock.execute();
      lock.getMoreResults();
      lock.getMoreResults();
      try (var row = lock.getResultSet()) {
        row.next();
        var action = row.getString("action");
        return new Seen(
            ArrayBinder.moment(row, "now").truncatedTo(ChronoUnit.MILLIS),
            action == null
                ? null
                : new LockedFacts.SpentToken(
                    TokenAction.of(action),
                    row.getString("digest"),
                    OutcomeCodec.parse(row.getString("outcome"))));
      }
    }
  }

  private CommitOutcome replay(EndHoldRequest call, LockedFacts.SpentToken token) {
    return switch (ConfirmRules.compare(token, call.action(), call.digest())) {
      case SAME -> {
        replays.count(call.caller(), call.action(), call.pool().name(), call.token());
        yield DecidedRequest.answer(token.outcome(), true, true);
      }
      case OTHER_FUNCTION -> new Drift(ConfirmRules.function(token.digest()));
      case OTHER -> new Collision();
    };
  }

  /// An end by a time limit is recorded no earlier than that limit, also if the clocks differ.
  private static HoldRecord ended(EndHoldRequest call, Instant now) {
    var hold = call.pinned();
    var earliest =
        call.reason() == EndReason.WINDOW
            ? hold.expiresAt()
            : call.reason() == EndReason.LEASE ? hold.leaseUntil() : hold.placedAt();
    return hold.ended(call.end(), now.isBefore(earliest) ? earliest : now, call.reason());
  }

  private static boolean write(Connection connection, PoolName pool, HoldRecord ended)
      throws SQLException {
    HoldColumns.lockPerson(connection, ended);
    try (var run = StatementRun.of(connection, END)) {
      return run.rows(
                  List.of(ended),
                  columns ->
                      HoldColumns.origin(
                              columns
                                  .text(_ -> pool.value())
                                  .text(hold -> hold.id(pool).toString()),
                              Function.identity())
                          .number(HoldRecord::pinNo)
                          .text(hold -> hold.state().name())
                          .moment(HoldRecord::endedAt)
                          .text(hold -> hold.endReason() == null ? null : hold.endReason().name()))
              .execute()
              .take(_ -> {})
          == 1;
    }
  }

  /// Returns false if the journal drain has stored this token since.
  private static boolean record(
      Connection connection, EndHoldRequest call, StoredOutcome outcome, TokenRow spent)
      throws SQLException {
    var pool = call.pool().name().value();
    var hold = call.pinned().id(call.pool().name()).toString();
    var isEnded = outcome instanceof StoredOutcome.OfHold;
    try (var run = StatementRun.of(connection, RECORD)) {
      run.text(pool).text(call.caller()).bytes(call.token().value()).text(call.action().word());
      run.text(spent.outcome()).number(call.pool().policy().idempotencyWindow().toMillis());
      run.text(call.digest().value()).number(spent.at().toEpochMilli());
      run.text(pool).text(hold).flag(isEnded);
      run.text(pool).text(call.caller()).bytes(call.token().value()).text(call.action().word());
      return run.text(hold).text(OutcomeCodec.word(outcome)).execute().take(_ -> {}) == 1;
    }
  }

  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.debug("a connection could not be returned to the pool and is dropped", e);
    }
  }
}
