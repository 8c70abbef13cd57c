package io.holdfast.commitment.sale;

import io.holdfast.commitment.ArtifactHash;
import io.holdfast.commitment.CommitOutcome;
import io.holdfast.commitment.CommitOutcome.Unknown;
import io.holdfast.commitment.CommitSettings;
import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.LedgerMeters;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.sale.ConfirmVerdict.Sell;
import io.holdfast.commitment.sale.SaleBatchResult.Cause;
import io.holdfast.commitment.sale.SaleBatchResult.Decided;
import io.holdfast.commitment.sale.SaleBatchResult.RolledBack;
import io.holdfast.idempotency.store.ReplayLog;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.TokenAction;
import io.holdfast.postgres.ConnectionPool;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs a batch of requests to sell in one transaction. There are two paths:
///
/// 1. Optimistic: assume the usual facts, write with all conditions, commit, verify
///    (`OptimisticSale`). One round trip, no read before.
/// 2. Careful: lock and read (`LockAndRead`), decide (`ConfirmRules`), write, commit, verify
///    (`CarefulSale`). It is the fallback of the first, and the only path of requests that wait for
///    locks or carry a nonce.
///
/// Only Postgres is called while the transaction is open.
@Singleton
public final class SaleTransaction {
  private static final Logger LOG = LoggerFactory.getLogger(SaleTransaction.class);

  private static final int NO_BACKEND = 0;

  /// How long a batch waits for a row that the journal drain is writing.
  public static final Duration BATCH_LOCK_MAX = Duration.ofMillis(250);

  private final ConnectionPool link;
  private final SaleVerifier verifier;
  private final LostCommitResolver lost;
  private final ReplayLog replays;
  private final LedgerMeters meters;
  private final Duration inflightWait;
  private final String artifact;
  private final BiFunction<ConfirmRequest, LockedFacts, ConfirmVerdict> rules;
  private final OptimismBackoff backoff;
  private final StockLevels stocks = new StockLevels();

  @Inject
  SaleTransaction(
      ConnectionPool link,
      SaleVerifier verifier,
      LostCommitResolver lost,
      ReplayLog replays,
      LedgerMeters meters,
      CommitSettings settings,
      ArtifactHash artifact) {
    this(
        link,
        verifier,
        lost,
        replays,
        meters,
        settings,
        artifact,
        ConfirmRules::decide,
        new OptimismBackoff(OptimismBackoff.SILENCE_MAX));
  }

  /// @param rules decide first; the conditions of the statements are a second check
  SaleTransaction(
      ConnectionPool link,
      SaleVerifier verifier,
      LostCommitResolver lost,
      ReplayLog replays,
      LedgerMeters meters,
      CommitSettings settings,
      ArtifactHash artifact,
      BiFunction<ConfirmRequest, LockedFacts, ConfirmVerdict> rules,
      OptimismBackoff backoff) {
    this.link = link;
    this.verifier = verifier;
    this.lost = lost;
    this.replays = replays;
    this.meters = meters;
    this.inflightWait = settings.inflightWait();
    this.artifact = artifact.hash();
    this.rules = rules;
    this.backoff = backoff;
  }

  /// Whether the optimistic path can sell it.
  boolean isPlain(ConfirmRequest request) {
    return assume(request) != null;
  }

  /// @param waits whether to wait for locks of other transactions, or to leave those requests out
  SaleBatchResult run(List<ConfirmRequest> requests, boolean waits) {
    try (var _ = stocks.use(requests)) { // before a connection is taken
      return runOnConnection(requests, waits);
    }
  }

  private SaleBatchResult runOnConnection(List<ConfirmRequest> requests, boolean waits) {
    Connection connection;
    try {
      connection = link.connection();
    } catch (SQLException e) {
      return new RolledBack(Cause.AWAY, String.valueOf(e.getMessage()));
    }
    var since = System.nanoTime();
    try {
      connection.setAutoCommit(false);
      return run(connection, requests, waits);
    } catch (SQLException e) {
      return SaleBatchResult.rolledBack(e);
    } finally {
      meters.connectionHeld(System.nanoTime() - since);
      close(connection);
    }
  }

  private SaleBatchResult run(Connection connection, List<ConfirmRequest> requests, boolean waits)
      throws SQLException {
    if (!waits && backoff.allowsOptimism()) {
      var result = sellOptimistically(connection, requests);
      if (result != null) {
        return result;
      }
    }
    return sellCarefully(connection, requests, waits);
  }

  /// Returns null if the requests have to be sold carefully. Nothing is written then.
  private @Nullable SaleBatchResult sellOptimistically(
      Connection connection, List<ConfirmRequest> requests) throws SQLException {
    var assumed = requests.stream().map(this::assume).toList();
    if (assumed.contains(null)) {
      return null;
    }
    var result = write(connection, assumed, true);
    if (result instanceof RolledBack(var cause, var why) && cause != Cause.AWAY) {
      LOG.debug("a batch of {} sales is not as assumed: {}", requests.size(), why);
      backoff.failed();
      stocks.forget(requests);
      connection.rollback();
      return null;
    }
    backoff.succeeded();
    return result;
  }

  /// Returns null if the request cannot be sold on assumed facts.
  private @Nullable DecidedRequest assume(ConfirmRequest request) {
    if (request.nonceHash() != null || !(request.intent() instanceof Pinned pinned)) {
      return null;
    }
    var stock = stocks.find(request);
    if (request.quantity() != null
        || request.pool().policy().maxItemsPerRequester() != null
        || request.pool().kind() == PoolKind.STOCK && stock == null) {
      return null;
    }
    var facts = LockedFacts.assumed(pinned, stock);
    var verdict = rules.apply(request, facts);
    return verdict instanceof Sell ? new DecidedRequest(request, facts, verdict) : null;
  }

  private SaleBatchResult sellCarefully(
      Connection connection, List<ConfirmRequest> requests, boolean waits) throws SQLException {
    var lockMax = waits ? inflightWait : BATCH_LOCK_MAX;
    var facts = LockAndRead.read(connection, requests, waits, lockMax);
    var decided = new ArrayList<@Nullable DecidedRequest>();
    var taken = new HashMap<PoolName, Long>(); // units of stocks, by earlier requests of the batch
    for (var i = 0; i < requests.size(); i++) {
      var request = requests.get(i);
      var pool = request.pool().name();
      var each = decide(request, facts.get(i), taken.getOrDefault(pool, 0L));
      decided.add(each);
      if (each != null && each.isSale() && each.facts().stock() != null) {
        taken.merge(pool, (long) each.soldHold().items().size(), Long::sum);
      }
    }
    return write(connection, decided, false);
  }

  private @Nullable DecidedRequest decide(
      ConfirmRequest request, @Nullable LockedFacts facts, long takenUnits) {
    if (facts == null) {
      return null;
    }
    var left = facts.afterTaking(takenUnits);
    return new DecidedRequest(request, left, rules.apply(request, left));
  }

  /// @param decided null for a request that another transaction has locked
  private SaleBatchResult write(
      Connection connection, List<@Nullable DecidedRequest> decided, boolean isOptimistic)
      throws SQLException {
    var present = decided.stream().filter(Objects::nonNull).toList();
    if (present.isEmpty()) {
      connection.commit();
      return outcomes(decided, new SaleRows(), Set.of());
    }
    var backend = isOptimistic ? ConnectionPool.backendOf(connection) : NO_BACKEND;
    var rows = new SaleRows();
    try {
      var failed =
          isOptimistic
              ? OptimisticSale.write(connection, present, rows, artifact, BATCH_LOCK_MAX)
              : CarefulSale.write(connection, present, rows, artifact);
      backoff.answered();
      stocks.learn(rows.stocks());
      connection.setAutoCommit(true);
      SaleVerifier.flushed(connection, DecidedRequest.unverified(present), failed);
      return outcomes(decided, rows, failed);
    } catch (SQLException e) {
      return SaleRows.isNotCommitted(e, isOptimistic)
          ? SaleBatchResult.rolledBack(e)
          : resolveLost(decided, rows, backend, e);
    }
  }

  /// The write, the COMMIT or the verification failed, and the error does not show which. Either
  /// all outcomes are recorded or none.
  private SaleBatchResult resolveLost(
      List<@Nullable DecidedRequest> decided, SaleRows rows, int backend, SQLException e) {
    var present = decided.stream().filter(Objects::nonNull).toList();
    var spent = DecidedRequest.tokensProvingCommit(present);
    if (spent.isEmpty()) {
      return SaleBatchResult.rolledBack(e); // nothing was to be decided, so a retry is harmless
    }
    var isAway = SaleBatchResult.rolledBack(e).cause() == Cause.AWAY;
    var isCommitted = lost.isCommitted(spent, isAway ? backend : NO_BACKEND);
    if (isCommitted.isEmpty()) {
      return outcomes(decided, rows, null);
    }
    return isCommitted.get()
        ? outcomes(decided, rows, verifyAgain(present, rows))
        : SaleBatchResult.rolledBack(e);
  }

  /// Returns the holds whose sale has failed its verification, or null if Postgres does not answer.
  private @Nullable Set<String> verifyAgain(List<DecidedRequest> present, SaleRows rows) {
    try (var connection = link.connection()) {
      rows.readAgain(connection, present.stream().filter(DecidedRequest::isSale).toList());
      return verifier.failed(connection, DecidedRequest.unverified(present));
    } catch (SQLException e) {
      LOG.warn(
          "Committed sales cannot be verified now; the same token sent again verifies them", e);
      return null;
    }
  }

  private SaleBatchResult outcomes(
      List<@Nullable DecidedRequest> decided, SaleRows rows, @Nullable Set<String> failed) {
    var outcomes = new ArrayList<@Nullable CommitOutcome>();
    for (var each : decided) {
      outcomes.add(each == null ? null : outcome(each, rows, failed));
    }
    return new Decided(outcomes);
  }

  /// A sale that could not be verified, or that may not be committed, is unknown. A retry with the
  /// same token gets the outcome.
  private CommitOutcome outcome(DecidedRequest each, SaleRows rows, @Nullable Set<String> failed) {
    if (failed == null && (each.isRecorded() || each.isUnverified())) {
      return new Unknown("the end of the transaction is unknown");
    }
    var request = each.request();
    if (each.isRepeat()) {
      replays.count(request.caller(), TokenAction.CONFIRM, request.pool().name(), request.token());
    }
    var hold = request.hold().toString();
    var isSound =
        !Boolean.FALSE.equals(each.facts().verified())
            && (failed == null || !failed.contains(hold));
    return each.answer(rows, isSound);
  }

  /// The pool rolls back what was not committed. A failure here no longer changes the result.
  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.debug("a connection could not be returned and is dropped", e);
    }
  }
}
