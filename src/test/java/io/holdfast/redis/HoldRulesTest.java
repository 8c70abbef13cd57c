package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.util.Set;
import java.util.function.Function;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Thousands of random calls, each answered as a simple model of the rules answers it, and with the
/// same things in memory afterwards: one suite for both places where holds are kept.
@ExtendWith(RealServers.class)
class HoldRulesTest {

  @Test
  void whatever_is_called_the_scripts_keep_the_rules(TestServers servers) {
    assertRulesAreKept(calls -> servers.redis(redis -> calls.run(new RedisMemory(redis))).keySet());
  }

  @Test
  void whatever_is_called_the_functions_of_postgres_keep_the_same_rules(TestServers servers)
      throws SQLException {
    Flyway.configure()
        .dataSource(servers.jdbcUrl(), null, null)
        .locations("classpath:db-migrations")
        .load()
        .migrate();

    try (var connection = servers.connection()) {
      assertRulesAreKept(calls -> calls.run(new PostgresMemory(connection)).keySet());
    }
  }

  private static void assertRulesAreKept(Function<RandomCalls, Set<String>> run) {
    var calls = new RandomCalls();

    assertThat(run.apply(calls))
        .contains("HELD", "SAME", "TAKEN", "LIMIT", "NO_SUCH_ITEM", "REPLAY", "COLLISION")
        .contains("EXTENDED", "ELAPSED", "STALE", "RELEASED", "EXPIRED", "SWEPT", "ABSENT")
        .contains("NOT_HELD", "NOT_KNOWN", "WINDOW_NOT_ELAPSED");
    assertThat(calls.fences).isSorted().doesNotHaveDuplicates();
  }
}
