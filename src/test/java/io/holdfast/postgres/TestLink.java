package io.holdfast.postgres;

import io.holdfast.journal.store.HoldRows;
import io.holdfast.journal.store.JournalTable;
import io.holdfast.journal.store.TokenRows;
import io.holdfast.seeding.EpochLog;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;

/// A link with short limits and the tables behind it, without a service around them.
public final class TestLink implements AutoCloseable {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ConnectionPool link;

  private TestLink(ConnectionPool link) {
    this.link = link;
  }

  public static TestLink to(String jdbcUrl) {
    return new TestLink(
        new ConnectionPool(settings(jdbcUrl), new DiskSpace(), new SimpleMeterRegistry()));
  }

  static PostgresSettings settings(String jdbcUrl) {
    return new PostgresSettings(
        jdbcUrl,
        null,
        null,
        4,
        SECOND.multipliedBy(2),
        SECOND.multipliedBy(5),
        SECOND.multipliedBy(5),
        SECOND.multipliedBy(2),
        SECOND.multipliedBy(5),
        SECOND.multipliedBy(8),
        SECOND.multipliedBy(10));
  }

  public ConnectionPool link() {
    return link;
  }

  public Transactions transactions() {
    return new Transactions(link);
  }

  public JournalTable journal() {
    return new JournalTable(transactions(), (_, _, _, _) -> {});
  }

  public HoldRows holds() {
    return new HoldRows(transactions());
  }

  public TokenRows tokens() {
    return new TokenRows(transactions());
  }

  public Leases leases() {
    return new Leases(transactions());
  }

  public EpochLog fenceEpochs() {
    return new EpochLog(transactions());
  }

  @Override
  public void close() {
    link.close();
  }
}
