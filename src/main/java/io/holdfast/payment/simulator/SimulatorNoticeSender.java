package io.holdfast.payment.simulator;

import io.holdfast.payment.PaymentSettings;
import io.holdfast.payment.notice.NoticeBody;
import io.holdfast.payment.notice.NoticeSecrets;
import io.holdfast.payment.simulator.SimulatedNotices.Due;
import io.holdfast.postgres.PostgresClock;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.PollingTask;
import io.holdfast.runtime.StartupTask;
import io.micronaut.context.BeanProvider;
import io.micronaut.core.annotation.Order;
import io.micronaut.runtime.server.EmbeddedServer;
import io.micronaut.serde.ObjectMapper;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings the simulator's notices to our own door, over HTTP and signed, as a provider would. One
/// that is not taken is brought again; one that is brought to be seen twice has one webhook id.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS)
public final class SimulatorNoticeSender implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(SimulatorNoticeSender.class);

  private static final Duration PAUSE = Duration.ofSeconds(1);

  /// While there is nothing to tell: the simulator of this instance says when there is.
  private static final Duration PAUSE_MAX = Duration.ofSeconds(4);

  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final int BATCH = 100;
  private static final int TRIES_MAX = 100;

  private final SimulatedNotices notices;
  private final NoticeSecrets secrets;
  private final PostgresClock clock;
  private final ObjectMapper json;
  private final BeanProvider<EmbeddedServer> door;

  /// None outside of demo mode: a task that never runs would look like one that fails.
  private final @Nullable PollingTask polling;

  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .followRedirects(HttpClient.Redirect.NEVER)
          .connectTimeout(PATIENCE)
          .build();

  SimulatorNoticeSender(
      PaymentSettings settings,
      SimulatedNotices notices,
      NoticeSecrets secrets,
      PostgresClock clock,
      ObjectMapper json,
      BeanProvider<EmbeddedServer> door,
      PeriodicTasks tasks) {
    this.notices = notices;
    this.secrets = secrets;
    this.clock = clock;
    this.json = json;
    this.door = door;
    this.polling =
        settings.demo()
            ? new PollingTask(tasks, "simulator-notices", PAUSE, PAUSE_MAX, this::takeDue)
            : null;
  }

  @Override
  public void atStart() {
    if (polling != null) {
      polling.task().start();
    }
  }

  /// There will be something to tell by then.
  public void comeIn(Duration delay) {
    if (polling != null) {
      CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS, Runnable::run)
          .execute(polling.task()::wake);
    }
  }

  @PreDestroy
  void close() {
    client.shutdownNow();
  }

  /// Each batch has a thread of its own: a notice that is answered late delays no later batch.
  private boolean takeDue() {
    var hasFound = false;
    var size = BATCH;
    while (size == BATCH && door.get().isRunning()) {
      var batch = notices.take(PATIENCE, BATCH);
      size = batch.size();
      if (size > 0) {
        hasFound = true;
        Thread.ofVirtual().name("simulator").start(() -> tell(batch));
      }
    }
    return hasFound;
  }

  /// What could not be stored as told is taken and told again.
  private void tell(List<Due> batch) {
    try {
      batch.forEach(this::tell);
    } catch (PostgresUnavailable e) {
      LOG.debug("the simulator's notices wait for Postgres", e);
    }
  }

  private void tell(Due due) {
    var isTaken = true;
    for (var i = 0; i < due.times(); i++) {
      isTaken &= isTaken(due);
    }
    if (isTaken) {
      notices.told(due.id());
    } else if (due.tries() >= TRIES_MAX) {
      LOG.error("Nobody takes the simulator's notice on {}; it is dropped", due.call().callId());
      notices.told(due.id());
    }
  }

  private boolean isTaken(Due due) {
    try {
      var body = json.writeValueAsString(NoticeBody.of(due.call()));
      var signed = headers("simulated-" + due.id(), body);
      var request =
          HttpRequest.newBuilder(inbox())
              .timeout(PATIENCE)
              .header("Content-Type", "application/json")
              .headers(signed.toArray(String[]::new))
              .POST(HttpRequest.BodyPublishers.ofString(body))
              .build();
      var answer = client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
      LOG.debug("a notice of the simulator was answered {}", answer);
      return answer / 100 == 2;
    } catch (IOException e) {
      LOG.debug("a notice of the simulator did not arrive", e);
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private List<String> headers(String id, String body) {
    return secrets.of(Simulator.PROVIDER).orElseThrow().headers(id, clock.now(), body);
  }

  private URI inbox() {
    return door.get().getURI().resolve("/v1/payments/" + Simulator.PROVIDER + "/notices");
  }
}
