package io.holdfast;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static io.holdfast.ShippedClasses.CLASSES;
import static io.holdfast.ShippedClasses.filesThatCall;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import io.micronaut.scheduling.TaskScheduler;
import io.micronaut.scheduling.annotation.Scheduled;
import java.util.Timer;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;

/// What shipped classes may do with threads.
class ThreadRulesTest {

  /// A scheduler drops a periodic task at its first exception; a `PeriodicTask` goes on. A
  /// connection to Redis checks itself on its own event loop.
  @Test
  void repeated_work_is_a_periodic_task() {
    assertThat(
            filesThatCall(ScheduledExecutorService.class, "schedule(AtFixedRate|WithFixedDelay)"))
        .containsExactly("io.holdfast.redis.DeadConnectionWatchdog");
    noClasses()
        .should()
        .dependOnClassesThat(describe("schedulers", ThreadRulesTest::isScheduler))
        .check(CLASSES);
  }

  @Test
  void no_class_sleeps() {
    assertThat(filesThatCall(Thread.class, "sleep")).isEmpty();
  }

  @Test
  void nothing_hangs_on_a_thread() {
    noFields()
        .should()
        .haveRawType(describe("ThreadLocal", c -> c.isAssignableTo(ThreadLocal.class)))
        .check(CLASSES);
  }

  private static boolean isScheduler(JavaClass type) {
    return type.isEquivalentTo(TaskScheduler.class)
        || type.isEquivalentTo(Scheduled.class)
        || type.isEquivalentTo(Timer.class);
  }
}
