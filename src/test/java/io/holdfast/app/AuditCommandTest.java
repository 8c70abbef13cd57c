package io.holdfast.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.HoldfastProcess;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// `holdfast audit`, as people run it, beside a service that is at work.
@ExtendWith(RealServers.class)
@Tag("slow")
class AuditCommandTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @TempDir Path folder;

  @Test
  @Requirement({"IR-GA-2", "IR-GA-6"})
  void sound_records_end_with_0_and_broken_ones_with_1(TestServers servers, Service service) {
    var api = Api.of(service);
    var pool = api.pool(2);
    api.confirm(api.hold(pool, "anna", "A-1"), Api.token(), "anna", "order-1");
    var hold = api.hold(pool, "berta", "A-2");
    var rows = Rows.of(servers);
    Await.until(PATIENCE, () -> rows.stateOf(hold).equals("HELD"));

    try (var process = audit(Map.of("JDBC_URL", servers.jdbcUrl()))) {
      assertThat(process.awaitExit()).as(process.output()).isZero();
      assertThat(process.output()).contains("P1 ").contains("Nothing was found.");
    }

    rows.change("ALTER TABLE hold DISABLE TRIGGER hold_end_is_final");
    try (var process = audit(Map.of("JDBC_URL", servers.jdbcUrl()))) {
      assertThat(process.awaitExit()).as(process.output()).isEqualTo(1);
      assertThat(process.output()).contains("BROKEN IR-GA-6").contains("FROM unnest(ARRAY[");
    }
    rows.change("ALTER TABLE hold ENABLE TRIGGER hold_end_is_final");
  }

  @Test
  void an_audit_that_cannot_read_exits_with_2() {
    try (var process = audit(Map.of("JDBC_URL", "jdbc:postgresql://localhost:1/none"))) {
      assertThat(process.awaitExit()).as(process.output()).isEqualTo(2);
      assertThat(process.output()).contains("cannot be read").doesNotContain("\tat ");
    }
  }

  private HoldfastProcess audit(Map<String, String> environment) {
    return HoldfastProcess.start(folder.resolve("data"), environment, "audit");
  }
}
