package io.holdfast.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Requirement;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Runs a few cases of the kill matrix; `./gradlew faults` runs all.
@Tag("slow")
class KillSliceTest {
  @TempDir static Path folder;

  private static Rig rig;

  @BeforeAll
  static void build() {
    rig = new Rig(folder);
  }

  @AfterAll
  static void takeDown() {
    rig.close();
  }

  @ParameterizedTest
  @MethodSource("io.holdfast.faults.KillCase#slice")
  @Requirement({"BR-S-2", "BR-S-6", "AU-5"})
  void whichever_process_is_killed_payments_match_sales_and_no_checkout_stays_half_done(
      KillCase kill) {
    var verdict = new Trial(rig, kill).run();

    assertThat(verdict.faults()).as(verdict.toString()).isEmpty();
  }
}
