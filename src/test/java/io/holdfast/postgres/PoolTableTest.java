package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.pool.Epoch;
import io.holdfast.pool.PoolKind;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The constraints of the table `pool`, independent of the code.
@ExtendWith(RealServers.class)
class PoolTableTest {
  private final TestSchema schema;

  PoolTableTest(TestServers servers) {
    schema = new TestSchema(servers);
  }

  @BeforeEach
  void clear() throws SQLException {
    schema.clear("pool");
  }

  @Test
  void the_epoch_of_a_pool_can_rise_and_cannot_fall() throws SQLException {
    schema.execute("INSERT INTO pool (pool, kind, epoch) VALUES ('arena', 'SEATS', 5)");

    schema.execute("UPDATE pool SET epoch = 6");
    var falling = "UPDATE pool SET epoch = 5";
    var byInsert =
        """
        INSERT INTO pool (pool, kind, epoch) VALUES ('arena', 'SEATS', 0)
            ON CONFLICT (pool) DO UPDATE SET epoch = EXCLUDED.epoch
        """;

    assertThatThrownBy(() -> schema.execute(falling))
        .hasMessageContaining("the epoch of pool arena cannot fall from 6 to 5");
    assertThatThrownBy(() -> schema.execute(byInsert)).hasMessageContaining("cannot fall");
    assertThat(schema.texts("SELECT epoch::text FROM pool")).containsExactly("6");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DELETE FROM pool",
        "TRUNCATE pool CASCADE",
        "UPDATE pool SET pool = 'old-arena' WHERE pool = 'arena'"
      })
  void a_name_cannot_be_freed_to_start_over_at_epoch_0(String sql) throws SQLException {
    schema.execute("INSERT INTO pool (pool, kind, epoch) VALUES ('arena', 'SEATS', 5)");

    assertThatThrownBy(() -> schema.execute(sql))
        .hasMessageContaining("cannot be deleted or renamed");
    assertThat(schema.texts("SELECT pool || epoch FROM pool")).containsExactly("arena5");
  }

  @ParameterizedTest(name = "{0} {1} {2}")
  @CsvSource(
      textBlock =
          """
          'arena',      'CHAIRS', 0,       pool_kind_known
          'arena',      'seats',  0,       pool_kind_known
          'blue arena', 'SEATS',  0,       pool_name_form
          '',           'SEATS',  0,       pool_name_form
          'a}b',        'SEATS',  0,       pool_name_form
          'arena',      'SEATS',  2097152, pool_fence_below_2_53
          'arena',      'SEATS',  -1,      pool_fence_below_2_53
          """)
  void a_pool_that_cannot_be_is_refused_by_name_of_the_rule(
      String pool, String kind, long epoch, String rule) {
    assertThatThrownBy(() -> insertPool(pool, kind, epoch)).hasMessageContaining(rule);
  }

  @ParameterizedTest
  @EnumSource(PoolKind.class)
  void every_kind_of_pool_is_taken_with_the_longest_name_and_the_highest_epoch(PoolKind kind)
      throws SQLException {
    insertPool("A-z.0_9".repeat(10).substring(0, 64), kind.name(), Epoch.MAX);

    assertThat(schema.texts("SELECT kind FROM pool")).containsExactly(kind.name());
  }

  private void insertPool(String pool, String kind, long epoch) throws SQLException {
    try (var connection = schema.servers().connection();
        var insert =
            connection.prepareStatement("INSERT INTO pool (pool, kind, epoch) VALUES (?, ?, ?)")) {
      insert.setString(1, pool);
      insert.setString(2, kind);
      insert.setLong(3, epoch);
      insert.executeUpdate();
    }
  }
}
