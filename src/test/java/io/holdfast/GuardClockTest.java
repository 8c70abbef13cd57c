package io.holdfast;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static io.holdfast.ShippedClasses.CLASSES;
import static io.holdfast.ShippedClasses.filesThatCall;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Requirement;
import java.time.Clock;
import org.junit.jupiter.api.Test;

/// Only the guard reads the clock; stores get the time as a value.
class GuardClockTest {

  @Test
  @Requirement("DP-CK-1")
  void a_guard_reads_its_clock_in_one_place_and_nothing_behind_it_reads_any() {
    var readers = filesThatCall(Clock.class, "instant|millis");

    assertThat(
            readers.stream()
                .filter(name -> name.contains(".guard.") || name.contains("GuardStore")))
        .containsExactly("io.holdfast.idempotency.guard.DuplicateGuard");
    noClasses()
        .that()
        .resideInAPackage("io.holdfast.idempotency.guard..")
        .or()
        .haveSimpleNameEndingWith("GuardStore")
        .should()
        .callMethodWhere(
            describe(
                "it tells the time",
                call ->
                    !call.getTargetOwner().getPackageName().startsWith("io.holdfast")
                        && call.getName().matches("now|nanoTime|currentTimeMillis|system.*")))
        .check(CLASSES);
  }
}
