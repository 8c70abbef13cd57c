package io.holdfast.payment.simulator;

import io.holdfast.payment.PaymentSettings;
import io.holdfast.payment.notice.NoticeBody;
import io.holdfast.payment.notice.NoticeSecrets;
import io.holdfast.postgres.PostgresClock;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transactions;
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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends the notices of the simulator to this service, over HTTP and signed, as a provider does. A
/// notice that is not accepted is sent again by any instance, with the same webhook id.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS)
public final class SimulatorNoticeSender implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(SimulatorNoticeSender.class);

  private static final Duration PAUSE = Duration.ofSeconds(1);

  /// While nothing is due. The simulator of this instance ends the pause.
  private static final Duration PAUSE_MAX = Duration.ofSeconds(4);

  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final int BATCH = 100;
  private static final int TRIES_MAX = 100;

  /// Takes due notices. Other instances take them again if they are not sent in time.
  private static final String TAKE =
      """
      UPDATE simulated_notice n
         SET due_at = clock_timestamp() + ? * interval '1 millisecond', tries = tries + 1
        FROM simulated_call c
       WHERE c.call_id = n.call_id
         AND n.id = ANY (ARRAY (
             SELECT id FROM simulated_notice WHERE due_at <= clock_timestamp()
              ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED))
      RETURNING c.*, n.id, n.times, n.tries, false AS untold
      """;

  private static final String DELETE = "DELETE FROM simulated_notice WHERE id = ?";

  private final Transactions transactions;
  private final NoticeSecrets secrets;
  private final PostgresClock clock;
  private final ObjectMapper json;
  private final BeanProvider<EmbeddedServer> server;

  /// Null outside of demo mode: a task that never runs would look like one that fails.
  private final @Nullable PollingTask polling;

  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .followRedirects(HttpClient.Redirect.NEVER)
          .connectTimeout(PATIENCE)
          .build();

  SimulatorNoticeSender(
      PaymentSettings settings,
      Transactions transactions,
      NoticeSecrets secrets,
      PostgresClock clock,
      ObjectMapper json,
      BeanProvider<EmbeddedServer> server,
      PeriodicTasks tasks) {
    this.transactions = transactions;
    this.secrets = secrets;
    this.clock = clock;
    this.json = json;
    this.server = server;
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

  /// A notice is due after that time.
  public void noticeIn(Duration delay) {
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
    while (size == BATCH && server.get().isRunning()) {
      var batch = take();
      size = batch.size();
      if (size > 0) {
        hasFound = true;
        Thread.ofVirtual().name("simulator").start(() -> send(batch));
      }
    }
    return hasFound;
  }

  /// A notice that was sent and not deleted is sent again.
  private void send(List<Due> batch) {
    try {
      batch.forEach(this::send);
    } catch (PostgresUnavailable e) {
      LOG.debug("the simulator's notices wait for Postgres", e);
    }
  }

  private void send(Due due) {
    var isAccepted = true;
    for (var i = 0; i < due.times(); i++) {
      isAccepted &= isAccepted(due);
    }
    if (isAccepted) {
      delete(due.id());
    } else if (due.tries() >= TRIES_MAX) {
      LOG.error(
          "The simulator's notice on {} was never accepted; it is dropped", due.call().callId());
      delete(due.id());
    }
  }

  private boolean isAccepted(Due due) {
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
    return server.get().getURI().resolve("/v1/payments/" + Simulator.PROVIDER + "/notices");
  }

  /// @param times how often it is to be sent
  /// @param tries so far, this one included
  private record Due(long id, int times, int tries, SimulatedCall call) {}

  private List<Due> take() {
    return transactions.write(
        connection -> {
          try (var update = connection.prepareStatement(TAKE)) {
            update.setLong(1, PATIENCE.toMillis());
            update.setInt(2, BATCH);
            return due(update.executeQuery());
          }
        });
  }

  private void delete(long id) {
    transactions.write(
        connection -> {
          try (var delete = connection.prepareStatement(DELETE)) {
            delete.setLong(1, id);
            return delete.executeUpdate();
          }
        });
  }

  private static List<Due> due(ResultSet rows) throws SQLException {
    var due = new ArrayList<Due>();
    while (rows.next()) {
      due.add(
          new Due(
              rows.getLong("id"),
              rows.getInt("times"),
              rows.getInt("tries"),
              SimulatorLedger.call(rows)));
    }
    return due;
  }
}
