package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.PoolPolicy;
import io.holdfast.testing.Requirement;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// The bytes of answers that are stored under tokens. A change of these bytes needs a new id of
/// `Digest.FUNCTION`, because replays of the old version would differ from its answers.
class HoldJsonTest {
  private static final Pool ARENA =
      Pool.fresh(
          new PoolName("arena"), PoolKind.SEATS, PoolPolicy.of(PoolKind.SEATS), 2, null, null);
  private static final String BEGINNING =
      "4294967297\t0123456789abcdef\tshop\tu \"1\"\t1800000000000\t1800000600007\t1800001800000"
          + "\t600007";

  @Test
  @Requirement("IR-ST-08")
  void a_hold_that_was_placed_has_these_bytes() {
    var hold = HoldRecord.parse("HELD\t" + BEGINNING + "\t\t\t0\ttok\tA-1\nÄ 2\t\t");

    assertThat(text(HoldJson.of(ARENA, hold)))
        .isEqualTo(
            "{\"holdId\":\"arena~1z141z5~0123456789abcdef\",\"pool\":\"arena\","
                + "\"items\":[\"A-1\",\"Ä 2\"],\"quantity\":null,\"requester\":\"u \\\"1\\\"\","
                + "\"state\":\"HELD\",\"fence\":4294967297,"
                + "\"placedAt\":\"2027-01-15T08:00:00.000Z\","
                + "\"leaseUntil\":\"2027-01-15T08:10:00.007Z\","
                + "\"expiresAt\":\"2027-01-15T08:30:00.000Z\",\"heartbeatSeconds\":120}");
  }

  @Test
  @Requirement("IR-ST-08")
  void a_hold_that_has_ended_says_when_and_why() {
    var expired =
        HoldRecord.parse("EXPIRED\t" + BEGINNING + "\t1800000600100\tLEASE\t0\ttok\tA-1\t\t");
    var released =
        HoldRecord.parse("RELEASED\t" + BEGINNING + "\t1800000000001\t\t0\ttok\tA-1\t\t");

    assertThat(text(HoldJson.of(ARENA, expired)))
        .endsWith(",\"endedAt\":\"2027-01-15T08:10:00.100Z\",\"endReason\":\"LEASE\"}");
    assertThat(text(HoldJson.of(ARENA, released)))
        .endsWith(",\"endedAt\":\"2027-01-15T08:00:00.001Z\",\"endReason\":null}");
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
