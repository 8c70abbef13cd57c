package io.holdfast.commitment.sale;

import io.holdfast.commitment.ArtifactHash;
import io.holdfast.commitment.CommitOutcome;
import io.holdfast.commitment.CommitSettings;
import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.Ledger;
import io.holdfast.commitment.LedgerMeters;
import io.holdfast.commitment.OperationLookup;
import io.holdfast.commitment.Outbox;
import io.holdfast.commitment.PinArbiter;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.PinnedHoldEnder;
import io.holdfast.commitment.sale.ConfirmVerdict.Sell;
import io.holdfast.idempotency.store.ReplayLog;
import io.holdfast.pool.HoldState;
import io.holdfast.postgres.TestLink;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.function.BiFunction;

/// A ledger without a service, as one instance has it.
public final class TestLedger implements AutoCloseable {
  /// A busy machine takes its time.
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /// As long as the service waits, so that a slow machine is not taken for a lock.
  private static final Duration INFLIGHT_WAIT = Duration.ofSeconds(2);

  private static final CommitSettings SETTINGS = new CommitSettings(2, 64, 4_096, INFLIGHT_WAIT);

  /// Assumes that all is as it should be, wherever the service might.
  private static final Duration ALWAYS = Duration.ofDays(1);

  private final TestLink link;
  private final GroupCommitter committer;
  private final Ledger ledger;
  private final ReplayLog replays;

  private TestLedger(
      TestLink link,
      CommitSettings settings,
      BiFunction<ConfirmRequest, LockedFacts, ConfirmVerdict> judge,
      Duration trust) {
    this.link = link;
    var meters = new LedgerMeters(new SimpleMeterRegistry());
    var lost = new LostCommitResolver(link.link(), PATIENCE);
    var attempts = new AttemptLog(link.transactions());
    replays = new ReplayLog(link.transactions(), Clock.systemUTC(), new SimpleMeterRegistry());
    var sales =
        new SaleTransaction(
            link.link(),
            new SaleVerifier(),
            lost,
            replays,
            meters,
            settings,
            new ArtifactHash(),
            judge,
            new OptimismBackoff(trust));
    committer = new GroupCommitter(sales, new SingleSaleRetry(sales, attempts), meters, settings);
    ledger =
        new Ledger(
            committer,
            new PinnedHoldEnder(link.link(), lost, replays, settings),
            new PinArbiter(link.transactions()));
  }

  public static TestLedger on(String jdbcUrl) {
    return on(jdbcUrl, 64);
  }

  public static TestLedger on(String jdbcUrl, int batchMax) {
    return on(jdbcUrl, new CommitSettings(2, batchMax, 4_096, INFLIGHT_WAIT));
  }

  public static TestLedger on(String jdbcUrl, CommitSettings settings) {
    return new TestLedger(TestLink.to(jdbcUrl), settings, ConfirmRules::decide, ALWAYS);
  }

  /// A ledger that always takes the careful path.
  public static TestLedger careful(String jdbcUrl) {
    return new TestLedger(TestLink.to(jdbcUrl), SETTINGS, ConfirmRules::decide, Duration.ZERO);
  }

  /// Sells every pinned hold: only the conditions of the statements and the tables can refuse.
  public static TestLedger withoutValidator(String jdbcUrl) {
    return new TestLedger(
        TestLink.to(jdbcUrl),
        SETTINGS,
        (request, facts) ->
            request.intent() instanceof Pinned(var hold, _, _)
                ? new Sell(hold.ended(HoldState.CONFIRMED, facts.now(), null), facts.items())
                : ConfirmRules.decide(request, facts),
        ALWAYS);
  }

  public Ledger ledger() {
    return ledger;
  }

  public Outbox outbox() {
    return new Outbox(link.transactions());
  }

  /// Runs the late verification and returns how many sales it verified.
  public int verifyLate(Duration olderThan) {
    return new LateSaleVerifier(outbox(), new SaleVerifier(), link.transactions(), null)
        .verify(olderThan);
  }

  public OperationLookup operations() {
    return new OperationLookup(link.transactions(), replays);
  }

  public TestLink link() {
    return link;
  }

  public CommitOutcome confirm(ConfirmRequest request) {
    return ledger.confirm(request).toCompletableFuture().join();
  }

  @Override
  public void close() {
    committer.close();
    link.close();
  }
}
