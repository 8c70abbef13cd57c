package io.holdfast.commitment;

import io.holdfast.commitment.Intent.Pinned;
import io.holdfast.commitment.Verdict.Sell;
import io.holdfast.pool.HoldState;
import io.holdfast.postgres.TestLink;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.function.BiFunction;

/// A ledger without a service around it, as one instance has it.
final class TestLedger implements AutoCloseable {
  /// As long as the service waits, so that a slow machine is not taken for a lock.
  private static final Duration INFLIGHT_WAIT = Duration.ofSeconds(2);

  private static final CommitSettings SETTINGS = new CommitSettings(2, 64, 4_096, INFLIGHT_WAIT);

  /// Assumes that all is as it should be, wherever the service might.
  private static final Duration ALWAYS = Duration.ofDays(1);

  private final TestLink link;
  private final GroupCommitter committer;
  private final Ledger ledger;

  private TestLedger(
      TestLink link,
      CommitSettings settings,
      BiFunction<Confirm, Facts, Verdict> judge,
      Duration trust) {
    this.link = link;
    var meters = new LedgerMeters(new SimpleMeterRegistry());
    var lost = new LostCommits(link.link());
    var attempts = new Attempts(link.transactions());
    var sales =
        new Sales(
            link.link(),
            new Verifier(),
            lost,
            meters,
            settings,
            new Artifact(),
            judge,
            new Trust(trust));
    committer = new GroupCommitter(sales, new LoneSales(sales, attempts), meters, settings);
    ledger =
        new Ledger(
            committer, new Endings(link.link(), lost, settings), new Resolver(link.transactions()));
  }

  static TestLedger on(String jdbcUrl) {
    return on(jdbcUrl, 64);
  }

  static TestLedger on(String jdbcUrl, int batchMax) {
    return on(jdbcUrl, new CommitSettings(2, batchMax, 4_096, INFLIGHT_WAIT));
  }

  static TestLedger on(String jdbcUrl, CommitSettings settings) {
    return new TestLedger(TestLink.to(jdbcUrl), settings, Judge::judge, ALWAYS);
  }

  /// Looks before it writes, always.
  static TestLedger thatLooks(String jdbcUrl) {
    return new TestLedger(TestLink.to(jdbcUrl), SETTINGS, Judge::judge, Duration.ZERO);
  }

  /// Sells whatever is pinned: only the conditions of the statements and the tables are left.
  static TestLedger withoutValidator(String jdbcUrl) {
    return new TestLedger(
        TestLink.to(jdbcUrl),
        SETTINGS,
        (request, facts) ->
            request.intent() instanceof Pinned(var hold, _, _)
                ? new Sell(hold.ended(HoldState.CONFIRMED, facts.now(), null), facts.items())
                : Judge.judge(request, facts),
        ALWAYS);
  }

  Ledger ledger() {
    return ledger;
  }

  Outbox outbox() {
    return new Outbox(link.transactions());
  }

  LateLooks lateLooks() {
    return new LateLooks(outbox(), new Verifier(), link.transactions(), null);
  }

  Operations operations() {
    return new Operations(link.transactions());
  }

  TestLink link() {
    return link;
  }

  CommitOutcome confirm(Confirm request) {
    return ledger.confirm(request).toCompletableFuture().join();
  }

  @Override
  public void close() {
    committer.close();
    link.close();
  }
}
