package io.holdfast.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.app.Service;
import io.holdfast.idempotency.Digest;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transactions;
import io.holdfast.testing.RealServers;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A repository takes part in the transaction of its caller.
@ExtendWith(RealServers.class)
class ApiKeyTableTest {
  private static ApiKeyTable table;
  private static Transactions transactions;

  @BeforeAll
  static void find(Service running) {
    table = running.context().getBean(ApiKeyTable.class);
    transactions = running.context().getBean(Transactions.class);
  }

  @Test
  void a_key_is_seen_in_its_transaction_and_gone_when_that_is_rolled_back() {
    assertThatThrownBy(
            () ->
                transactions.write(
                    _ -> {
                      table.save(aRow("rolled-back", "hold"));
                      assertThat(hasKeyOf("rolled-back")).isTrue();
                      throw new IllegalStateException("so that it is rolled back");
                    }))
        .isInstanceOf(IllegalStateException.class);

    assertThat(hasKeyOf("rolled-back")).isFalse();
  }

  @Test
  void a_key_is_stored_with_the_commit_of_its_transaction() {
    var saved = transactions.write(_ -> table.save(aRow("committed", "hold")));

    assertThat(hasKeyOf("committed")).isTrue();
    assertThat(revoke(saved, false, "another")).isZero();
    assertThat(hasKeyOf("committed")).isTrue();
    assertThat(revoke(saved, false, "committed")).isOne();
    assertThat(hasKeyOf("committed")).isFalse();
  }

  @Test
  void a_refusal_by_postgres_is_a_definite_failure() {
    assertThatThrownBy(() -> transactions.write(_ -> table.save(aRow("shop", "no such scope"))))
        .isInstanceOfSatisfying(
            PostgresUnavailable.class, failure -> assertThat(failure.isDefinite()).isTrue());
  }

  private static boolean hasKeyOf(String caller) {
    return table.findByRevokedAtIsNull().stream().anyMatch(row -> row.caller().equals(caller));
  }

  private static int revoke(ApiKeyRow row, boolean anyCaller, String caller) {
    return transactions.<Integer>write(_ -> table.revoke(row.id(), anyCaller, caller));
  }

  private static ApiKeyRow aRow(String caller, String scope) {
    var hash = Digest.sha256("key of " + caller);
    return new ApiKeyRow(null, hash, caller, new String[] {scope}, "operator", null);
  }
}
