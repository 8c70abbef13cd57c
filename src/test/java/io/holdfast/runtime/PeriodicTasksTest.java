package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Every background task of the real service fails once, and runs again.
@ExtendWith(RealServers.class)
class PeriodicTasksTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /// All that there are, so that a task that is missing here is noticed.
  private static final List<String> ALL =
      List.of(
          "admissions",
          "api-key-refresh",
          "auction-close",
          "batch-deadlines",
          "checkout-leases",
          "checkout-take",
          "clock-skew",
          "compensate",
          "delivery-log-purge",
          "erasure",
          "event-dispatch",
          "expiry-sweep",
          "health-postgres",
          "health-redis",
          "idempotency-purge",
          "journal-backpressure",
          "journal-drain",
          "journal-partitions",
          "late-sale-verify",
          "outbox-acknowledge",
          "outbox-relay",
          "pool-activity",
          "pool-refresh",
          "pool-rules",
          "pool-walk",
          "reconcile",
          "replay-log",
          "retention",
          "simulator-notices",
          "ticket-refresh",
          "token-purge");

  @Test
  @Requirement("AU-3")
  void every_task_runs_again_after_a_run_that_threw(TestServers servers, @TempDir Path data) {
    var settings = Map.<String, Object>of(FailingTasks.SETTING, true, "holdfast.demo", true);
    try (var service = Instances.start(servers, data, settings)) {
      var tasks = (FailingTasks) service.context().getBean(PeriodicTasks.class);
      var started = tasks.started();
      assertThat(started).extracting(PeriodicTask::name).containsExactlyInAnyOrderElementsOf(ALL);

      assertAllSurvive(service, tasks, () -> new IllegalStateException("thrown by the test"));
      assertAllSurvive(service, tasks, () -> new NoClassDefFoundError("thrown by the test"));

      assertThat(Http.get(service.http(), "/prometheus").body())
          .contains("holdfast_task_failures_total{task=\"journal-drain\"} 2.0")
          .contains("holdfast_task_last_success_seconds{task=\"journal-drain\"}");
    }
  }

  /// An alert on the time of the last success would fire for a task that never runs.
  @Test
  @Requirement("AU-3")
  void only_tasks_that_run_have_a_time_of_their_last_success(Service service) {
    var meters = service.context().getBean(MeterRegistry.class);
    var tasks = service.context().getBean(PeriodicTasks.class);

    assertThat(meters.find("holdfast.task.last.success").gauges())
        .extracting(gauge -> gauge.getId().getTag("task"))
        .doesNotContain("simulator-notices")
        .containsExactlyInAnyOrderElementsOf(
            tasks.started().stream().map(PeriodicTask::name).toList());
  }

  private static void assertAllSurvive(
      Service service, FailingTasks tasks, Supplier<Throwable> failure) {
    var meters = service.context().getBean(MeterRegistry.class);
    var all = tasks.started();
    var failuresBefore = failures(meters, all);
    all.forEach(task -> tasks.failNextRun(task, failure));

    all.forEach(PeriodicTask::wake);
    Await.until(
        PATIENCE,
        () -> all.stream().allMatch(task -> failures(meters, task) > failuresBefore.get(task)));

    var failedAt = meters.config().clock().wallTime() / 1_000.0;
    all.forEach(PeriodicTask::wake);
    Await.until(
        PATIENCE, () -> all.stream().allMatch(task -> lastSuccess(meters, task) > failedAt));
  }

  private static Map<PeriodicTask, Double> failures(MeterRegistry meters, List<PeriodicTask> all) {
    return all.stream().collect(Collectors.toMap(task -> task, task -> failures(meters, task)));
  }

  private static double failures(MeterRegistry meters, PeriodicTask task) {
    return meters.get("holdfast.task.failures").tag("task", task.name()).counter().count();
  }

  private static double lastSuccess(MeterRegistry meters, PeriodicTask task) {
    return meters.get("holdfast.task.last.success").tag("task", task.name()).gauge().value();
  }
}
