package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.holdfast.testing.Await;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/// A task logs when it begins to fail and when it works again, not each run.
class TaskReportTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofMillis(1);
  private static final Logger LOG = (Logger) LoggerFactory.getLogger(PeriodicTask.class);

  private final PeriodicTasks tasks = new PeriodicTasks(new SimpleMeterRegistry());
  private final AtomicInteger runs = new AtomicInteger();
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @BeforeEach
  void listen() {
    log.list = new CopyOnWriteArrayList<>();
    log.start();
    LOG.addAppender(log);
  }

  @AfterEach
  void stop() {
    tasks.close();
    LOG.detachAppender(log);
  }

  @Test
  void a_lost_server_is_logged_once_and_its_return_once() {
    var task = failing(3, ServerLost::new);

    task.start();

    Await.until(PATIENCE, () -> log.list.size() == 2 && runs.get() > 5);
    assertThat(log.list.getFirst().getLevel()).isEqualTo(Level.WARN);
    assertThat(log.list.getFirst().getThrowableProxy()).isNull();
    assertThat(lines())
        .containsExactly(
            "Task test failed; it is repeated until it works: no answer from the server",
            "Task test works again, after 3 failed runs");
  }

  @Test
  void an_unexpected_error_is_logged_once_with_its_stack_trace() {
    var task = failing(3, () -> new AssertionError("a bug"));

    task.start();

    Await.until(PATIENCE, () -> log.list.size() == 2 && runs.get() > 5);
    assertThat(log.list.getFirst().getLevel()).isEqualTo(Level.ERROR);
    assertThat(log.list.getFirst().getThrowableProxy().getMessage()).isEqualTo("a bug");
    assertThat(log.list.getLast().getLevel()).isEqualTo(Level.INFO);
  }

  @Test
  void an_unexpected_error_is_logged_also_while_a_server_is_lost() {
    var failures = List.<RuntimeException>of(new ServerLost(), new IllegalStateException("a bug"));
    tasks
        .every(
            "test",
            SHORT,
            () -> {
              var run = runs.getAndIncrement();
              if (run < failures.size()) {
                throw failures.get(run);
              }
            })
        .start();

    Await.until(PATIENCE, () -> log.list.size() == 3);
    assertThat(log.list)
        .extracting(ILoggingEvent::getLevel)
        .containsExactly(Level.WARN, Level.ERROR, Level.INFO);
  }

  @Test
  void a_failure_that_is_logged_elsewhere_is_not_logged_again() {
    var task = failing(3, LoggedElsewhere::new);

    task.start();

    Await.until(PATIENCE, () -> runs.get() > 5);
    assertThat(lines()).isEmpty();
  }

  private static final class LoggedElsewhere extends RuntimeException
      implements DependencyUnavailable {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isDefinite() {
      return true;
    }

    @Override
    public boolean isLogged() {
      return true;
    }
  }

  private PeriodicTask failing(int times, Supplier<Throwable> failure) {
    return tasks.every(
        "test",
        SHORT,
        () -> {
          if (runs.getAndIncrement() < times) {
            switch (failure.get()) {
              case RuntimeException e -> throw e;
              case Error e -> throw e;
              case Throwable e -> throw new IllegalArgumentException(e);
            }
          }
        });
  }

  private List<String> lines() {
    return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }
}
