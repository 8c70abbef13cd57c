package io.holdfast.app;

import io.holdfast.config.Settings;
import io.holdfast.postgres.PostgresSettings;
import io.holdfast.redis.RedisSettings;
import io.holdfast.runtime.StartFailure;
import io.holdfast.runtime.StartupTask;
import io.holdfast.stream.IdKeys;
import io.micronaut.context.ApplicationContext;
import io.micronaut.runtime.graceful.GracefulShutdownManager;
import io.micronaut.runtime.server.EmbeddedServer;
import io.micronaut.serde.ObjectMapper;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One running instance. A start that fails leaves nothing running. A stop lets running requests
/// finish, then stops the background tasks, then closes the connections, then the servers.
public final class Service implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Service.class);

  private static final int GRACE_SECONDS = 20;

  private final ResourceStack resources = new ResourceStack();
  private final Thread hook = new Thread(resources::close, "stop");
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private final Bootstrap bootstrap;
  private final EmbeddedServer server;

  private Service(Map<String, Object> overrides) {
    Runtime.getRuntime().addShutdownHook(hook);
    @Nullable ConnectionStartup connections = null;
    try {
      bootstrap = Bootstrap.start(resources, overrides, this::giveUp);
      bootstrap.context().getBean(IdKeys.class); // a setting that the other commands do not need
      bootstrap.servers().launch();
      connections = new ConnectionStartup(bootstrap.context());
      if (bootstrap.servers().isEmpty()) {
        connections.open(); // while the beans of the HTTP server are made
      }
      server =
          bootstrap.context().getBean(EmbeddedServer.class); // takes about as long as the servers
      open(connections);
    } catch (RuntimeException e) {
      var isStopped = resources.isClosed(); // by a signal, which is then the cause of the failure
      if (connections != null && !isStopped) {
        connections.awaitEnd(); // a connection that opens later would not be closed
      }
      close();
      throw isStopped ? ResourceStack.stopped() : StartupErrors.inOneSentence(e);
    }
  }

  /// Returns when requests are accepted, or fails with `StartFailure`.
  ///
  /// @param overrides settings that win over the environment
  public static Service start(Map<String, Object> overrides) {
    return new Service(overrides);
  }

  public URI http() {
    return URI.create("http://localhost:" + server.getPort());
  }

  public ApplicationContext context() {
    return bootstrap.context();
  }

  /// Waits until the service cannot go on and fails with the reason as `StartFailure`. A signal
  /// ends the process instead.
  void awaitEnd() {
    try {
      end.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StartFailure failure ? failure : e;
    }
  }

  @Override
  public void close() {
    resources.close();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      LOG.trace("the process is ending and runs the hook itself", e);
    }
  }

  private void open(ConnectionStartup connections) {
    bootstrap.servers().awaitReady();
    connections.open();
    connections.awaitOpen();
    var tasks = new ArrayList<StartupTask>();
    resources.step(() -> tasks.addAll(bootstrap.context().getBeansOfType(StartupTask.class)));
    tasks.forEach(task -> resources.step(task::atStart));
    resources.step(this::openPort);
  }

  private void openPort() {
    server.start();
    resources.opened("running requests", this::finishRequests);
    resources.opened("run.json", this::deleteRunFile);
    bootstrap.servers().onRestart(this::writeRunFile);
    writeRunFile();
    logReady();
  }

  /// Refuses new connections and waits for running requests.
  private void finishRequests() {
    var requests = context().getBean(GracefulShutdownManager.class);
    try {
      requests.shutdownGracefully().toCompletableFuture().get(GRACE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("Requests are still running after {} s; stopping anyway", GRACE_SECONDS);
    }
  }

  private RunFile runFile() {
    return new RunFile(bootstrap.folder());
  }

  private synchronized void deleteRunFile() {
    runFile().delete();
  }

  /// Synchronized, because two servers may restart at the same moment.
  private synchronized void writeRunFile() {
    if (resources.isClosed()) {
      return; // a server restarted during the stop
    }
    runFile()
        .write(
            new RunFile.Content(
                ProcessHandle.current().pid(),
                http().toString(),
                context().getBean(RedisSettings.class).uri(),
                context().getBean(PostgresSettings.class).url(),
                RunFile.orNull(bootstrap.servers().redisPid()),
                RunFile.orNull(bootstrap.servers().postgresPid())),
            context().getBean(ObjectMapper.class));
  }

  private void giveUp(String why) {
    end.completeExceptionally(new StartFailure(why));
  }

  private void logReady() {
    var sinceStart = ManagementFactory.getRuntimeMXBean().getUptime() / 1_000.0;
    LOG.info("Holdfast {} is ready after {} s", Version.CURRENT, "%.1f".formatted(sinceStart));
    LOG.info("  page   {}", http());
    LOG.info("  docs   {}/docs", http());
    LOG.info("  try    {}", firstCall());
  }

  /// A command that works when it is copied.
  private String firstCall() {
    return new Settings(context().getEnvironment()).flag("holdfast.demo", false)
        ? """
        curl -s %s/v1/pools/arena/holds -H 'Authorization: Bearer hf_demo_key' \
        -H 'Idempotency-Key: first' -H 'Content-Type: application/json' \
        -d '{"requester":"me","items":["A-1"]}'\
        """
            .formatted(http())
        : "curl -s %s/health".formatted(http());
  }
}
