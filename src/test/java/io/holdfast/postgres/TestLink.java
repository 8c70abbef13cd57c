package io.holdfast.postgres;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;

/// A link with short limits, as tests of single tables use it.
final class TestLink implements AutoCloseable {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final PostgresLink link;

  private TestLink(PostgresLink link) {
    this.link = link;
  }

  static TestLink to(String jdbcUrl) {
    return new TestLink(new PostgresLink(settings(jdbcUrl), new SimpleMeterRegistry()));
  }

  static PostgresSettings settings(String jdbcUrl) {
    return new PostgresSettings(
        jdbcUrl,
        null,
        null,
        4,
        SECOND,
        SECOND,
        SECOND.multipliedBy(5),
        SECOND.multipliedBy(2),
        SECOND.multipliedBy(5),
        SECOND.multipliedBy(8),
        SECOND);
  }

  Transactions transactions() {
    return new Transactions(link);
  }

  @Override
  public void close() {
    link.close();
  }
}
