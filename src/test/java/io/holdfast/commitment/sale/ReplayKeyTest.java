package io.holdfast.commitment.sale;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Requirement;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ReplayKeyTest {
  private static final ReplayKey KEY =
      new ReplayKey("1", "order/7", "confirm", "arena~1~x", "cafe", "shop\tanna", "arena");

  @Requirement({"RS-ID-9", "RS-ID-10"})
  @ParameterizedTest
  @MethodSource("others")
  void every_input_changes_the_key(ReplayKey other) {
    assertThat(other.hash()).isNotEqualTo(KEY.hash());
  }

  static Stream<ReplayKey> others() {
    return Stream.of(
        new ReplayKey("2", "order/7", "confirm", "arena~1~x", "cafe", "shop\tanna", "arena"),
        new ReplayKey("1", "order/8", "confirm", "arena~1~x", "cafe", "shop\tanna", "arena"),
        new ReplayKey("1", "order/7", "refund", "arena~1~x", "cafe", "shop\tanna", "arena"),
        new ReplayKey("1", "order/7", "confirm", "arena~2~x", "cafe", "shop\tanna", "arena"),
        new ReplayKey("1", "order/7", "confirm", "arena~1~x", "babe", "shop\tanna", "arena"),
        new ReplayKey("1", "order/7", "confirm", "arena~1~x", "cafe", "shop\tbert", "arena"),
        new ReplayKey("1", "order/7", "confirm", "arena~1~x", "cafe", "shop\tanna", "hall"));
  }

  @Requirement("RS-ID-9")
  @Test
  void the_boundaries_between_inputs_change_the_key() {
    var one = new ReplayKey("1", "ab", "c", "d", "e", "f", "g");
    var other = new ReplayKey("1", "a", "bc", "d", "e", "f", "g");

    assertThat(one.hash()).isNotEqualTo(other.hash());
  }

  @Requirement("RS-ID-9")
  @Test
  void the_key_of_one_effect_is_fixed() {
    assertThat(HexFormat.of().formatHex(KEY.hash()))
        .isEqualTo("2267d4c6ef7cdda20b8b9c2fe2770de05d8cbaf3718f82ac63d2d46f5d064165");
  }
}
