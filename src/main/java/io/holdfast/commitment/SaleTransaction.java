package io.holdfast.commitment;

import io.holdfast.commitment.CommitOutcome.Unknown;
import io.holdfast.commitment.ConfirmVerdict.Sell;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.SaleBatchResult.Cause;
import io.holdfast.commitment.SaleBatchResult.Decided;
import io.holdfast.commitment.SaleBatchResult.RolledBack;
import io.holdfast.postgres.ConnectionPool;
import io.holdfast.postgres.Plans;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs requests to sell in one transaction: lock and read, decide each, write, commit, look again.
/// Nobody but Postgres is called while it is open.
///
/// Nearly always what is read is what was to be expected. So it is assumed first, and all is
/// written at once, under conditions that fail if one assumption is wrong; only then it is read.
@Singleton
final class SaleTransaction {
  private static final Logger LOG = LoggerFactory.getLogger(SaleTransaction.class);

  /// How long many wait for one row that the journal is bringing at this moment.
  static final Duration BATCH_LOCK_MAX = Duration.ofMillis(250);

  private final ConnectionPool link;
  private final SaleVerifier verifier;
  private final LostCommitResolver lost;
  private final LedgerMeters meters;
  private final Duration inflightWait;
  private final String artifact;
  private final BiFunction<ConfirmRequest, LockedFacts, ConfirmVerdict> judge;
  private final OptimismBackoff trust;

  @Inject
  SaleTransaction(
      ConnectionPool link,
      SaleVerifier verifier,
      LostCommitResolver lost,
      LedgerMeters meters,
      CommitSettings settings,
      ArtifactHash artifact) {
    this(
        link,
        verifier,
        lost,
        meters,
        settings,
        artifact,
        ConfirmRules::judge,
        new OptimismBackoff(OptimismBackoff.WHILE));
  }

  /// @param judge what it decides has to stand before the conditions of the statements all the same
  SaleTransaction(
      ConnectionPool link,
      SaleVerifier verifier,
      LostCommitResolver lost,
      LedgerMeters meters,
      CommitSettings settings,
      ArtifactHash artifact,
      BiFunction<ConfirmRequest, LockedFacts, ConfirmVerdict> judge,
      OptimismBackoff trust) {
    this.link = link;
    this.verifier = verifier;
    this.lost = lost;
    this.meters = meters;
    this.inflightWait = settings.inflightWait();
    this.artifact = artifact.hash();
    this.judge = judge;
    this.trust = trust;
  }

  /// Whether it may be sold without a look, if all is as it should be.
  boolean isPlain(ConfirmRequest request) {
    return assumed(request) != null;
  }

  /// @param waits whether to wait for locks that somebody else has, or to do without whom they are
  ///   for
  SaleBatchResult run(List<ConfirmRequest> requests, boolean waits) {
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
      Plans.ran();
      meters.connectionHeld(System.nanoTime() - since);
      giveBack(connection);
    }
  }

  private SaleBatchResult run(Connection connection, List<ConfirmRequest> requests, boolean waits)
      throws SQLException {
    var end = waits || !trust.isGiven() ? null : assuming(connection, requests);
    return end == null ? reading(connection, requests, waits) : end;
  }

  private SaleBatchResult reading(
      Connection connection, List<ConfirmRequest> requests, boolean waits) throws SQLException {
    var lockMax = waits ? inflightWait : BATCH_LOCK_MAX;
    var cases = judged(requests, LockAndRead.read(connection, requests, waits, lockMax));
    var present = cases.stream().filter(Objects::nonNull).toList();
    return ended(connection, cases, closing(connection, present));
  }

  /// Null if they have to be looked at first.
  private @Nullable SaleBatchResult assuming(Connection connection, List<ConfirmRequest> requests)
      throws SQLException {
    var cases = requests.stream().map(this::assumed).toList();
    if (cases.contains(null)) {
      return null;
    }
    var end = ended(connection, cases, assuming(connection, requests, cases));
    if (end instanceof RolledBack(var cause, var why) && cause != Cause.AWAY) {
      LOG.debug("one of {} sales was not as assumed: {}", requests.size(), why);
      trust.broken();
      connection.rollback();
      return null;
    }
    trust.kept();
    return end;
  }

  private @Nullable DecidedRequest assumed(ConfirmRequest request) {
    if (request.nonce() != null || !(request.intent() instanceof Pinned pinned)) {
      return null;
    }
    var facts = LockedFacts.assumed(pinned);
    var verdict = judge.apply(request, facts);
    return verdict instanceof Sell ? new DecidedRequest(request, facts, verdict) : null;
  }

  private SaleStatement assuming(
      Connection connection, List<ConfirmRequest> requests, List<@Nullable DecidedRequest> cases)
      throws SQLException {
    return SaleRows.into(
        new SaleStatement(connection, true).assuming(requests, BATCH_LOCK_MAX), cases, artifact);
  }

  private SaleBatchResult ended(
      Connection connection, List<@Nullable DecidedRequest> cases, SaleStatement closing) {
    try {
      var sold = unverified(cases.stream().filter(Objects::nonNull).toList());
      var failed = closing.commit(sold);
      trust.answered();
      connection.setAutoCommit(true);
      return answered(cases, closing, SaleVerifier.flushed(connection, sold, failed));
    } catch (SQLException e) {
      return closing.hasMoved(e) ? SaleBatchResult.rolledBack(e) : lost(cases, closing, e);
    }
  }

  /// Writing, COMMIT or the look behind it failed, which the error does not tell apart for sure.
  /// All that was to be recorded is there, or nothing is.
  private SaleBatchResult lost(
      List<@Nullable DecidedRequest> cases, SaleStatement closing, SQLException e) {
    var present = cases.stream().filter(Objects::nonNull).toList();
    var spent = DecidedRequest.witnesses(present);
    if (spent.isEmpty()) {
      return SaleBatchResult.rolledBack(e); // nothing was to be decided, so it may be asked again
    }
    var isCommitted =
        lost.isCommitted(
            spent, SaleBatchResult.rolledBack(e).cause() == Cause.AWAY ? closing.backend() : 0);
    if (isCommitted.isEmpty()) {
      return answered(cases, closing, null);
    }
    return isCommitted.get()
        ? answered(cases, closing, look(closing, present))
        : SaleBatchResult.rolledBack(e);
  }

  /// The holds whose sale is not whole; null if that cannot be told now.
  private @Nullable Set<String> look(SaleStatement closing, List<DecidedRequest> cases) {
    try (var connection = link.connection()) {
      closing.recall(connection, cases.stream().flatMap(c -> c.sale(artifact)).toList());
      return verifier.failed(connection, unverified(cases));
    } catch (SQLException e) {
      LOG.warn("Sales could not be looked at again yet", e);
      return null;
    }
  }

  private static List<SaleVerifier.Sold> unverified(List<DecidedRequest> cases) {
    return cases.stream()
        .filter(DecidedRequest::isUnverified)
        .map(c -> SaleVerifier.Sold.of(c.request().hold()))
        .toList();
  }

  private SaleBatchResult answered(
      List<@Nullable DecidedRequest> cases, SaleStatement closing, @Nullable Set<String> failed) {
    var outcomes = new ArrayList<@Nullable CommitOutcome>();
    for (var each : cases) {
      outcomes.add(each == null ? null : answer(each, closing, failed));
    }
    return new Decided(outcomes);
  }

  /// What could not be looked at, or may not be there, is unknown; the same token sent again tells.
  private static CommitOutcome answer(
      DecidedRequest each, SaleStatement closing, @Nullable Set<String> failed) {
    if (failed == null && (each.isRecorded() || each.isUnverified())) {
      return new Unknown("the end of the transaction is unknown");
    }
    var hold = each.request().hold().toString();
    var isSound =
        !Boolean.FALSE.equals(each.facts().verified())
            && (failed == null || !failed.contains(hold));
    return each.answer(closing, isSound);
  }

  private List<@Nullable DecidedRequest> judged(
      List<ConfirmRequest> requests, List<@Nullable LockedFacts> allFacts) {
    var cases = new ArrayList<@Nullable DecidedRequest>();
    for (var i = 0; i < requests.size(); i++) {
      var request = requests.get(i);
      var facts = allFacts.get(i);
      cases.add(
          facts == null ? null : new DecidedRequest(request, facts, judge.apply(request, facts)));
    }
    return cases;
  }

  private SaleStatement closing(Connection connection, List<DecidedRequest> cases) {
    return SaleRows.into(
        new SaleStatement(connection, cases.stream().anyMatch(DecidedRequest::isRecorded)),
        cases,
        artifact);
  }

  /// The pool rolls back what was not committed. What happens here no longer changes the result.
  private static void giveBack(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.debug("a connection could not be given back and is dropped", e);
    }
  }
}
