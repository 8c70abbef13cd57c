package io.holdfast.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.pool.Pool.SalesTimes;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class PoolTest {
  private static final Instant BEFORE_1970 = Instant.EPOCH.minusMillis(1);

  @Test
  void a_sale_neither_begins_nor_ends_before_1970_because_scripts_read_no_sign() {
    assertThatThrownBy(() -> new SalesTimes(BEFORE_1970, null, false))
        .hasMessageStartingWith("salesFrom must not lie before 1970");
    assertThatThrownBy(() -> new SalesTimes(null, BEFORE_1970, false))
        .hasMessageStartingWith("salesUntil must not lie before 1970");
    assertThat(new SalesTimes(Instant.EPOCH, null, false).from()).isEqualTo(Instant.EPOCH);
  }
}
