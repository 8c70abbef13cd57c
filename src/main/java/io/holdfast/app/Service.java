package io.holdfast.app;

import io.holdfast.config.Settings;
import io.holdfast.postgres.PostgresSettings;
import io.holdfast.redis.RedisSettings;
import io.holdfast.runtime.StartFailure;
import io.holdfast.runtime.StartupTask;
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

/// One running instance behind an open door. A start that fails leaves nothing running; an end lets
/// what is under way finish, then stops the background tasks, then closes the links, then the
/// servers.
public final class Service implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Service.class);

  private static final int GRACE_SECONDS = 20;

  private final ResourceStack closer = new ResourceStack();
  private final Thread hook = new Thread(closer::close, "stop");
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private final Bootstrap ground;
  private final EmbeddedServer door;

  private Service(Map<String, Object> overrides) {
    Runtime.getRuntime().addShutdownHook(hook);
    @Nullable ConnectionStartup links = null;
    try {
      ground = Bootstrap.lay(closer, overrides, this::giveUp);
      links = new ConnectionStartup(ground.context());
      if (ground.servers().isEmpty()) {
        links.open(); // while the rest is put together
      }
      door = ground.context().getBean(EmbeddedServer.class); // takes as long as the servers do
      open(links);
    } catch (RuntimeException e) {
      var isBrokenOff = closer.isClosed(); // by a signal; whatever failed, failed because of that
      if (links != null && !isBrokenOff) {
        links.awaitEnd(); // one that is still being opened would be left behind
      }
      close();
      throw isBrokenOff ? ResourceStack.brokenOff() : StartupErrors.inOneSentence(e);
    }
  }

  /// Answers when requests are accepted, or fails with `StartFailure`.
  ///
  /// @param overrides settings that win over the environment
  public static Service start(Map<String, Object> overrides) {
    return new Service(overrides);
  }

  public URI http() {
    return URI.create("http://localhost:" + door.getPort());
  }

  public ApplicationContext context() {
    return ground.context();
  }

  /// Waits until the service cannot go on, and says why by failing with `StartFailure`. An end that
  /// was asked for ends the process instead.
  void awaitEnd() {
    try {
      end.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StartFailure failure ? failure : e;
    }
  }

  @Override
  public void close() {
    closer.close();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      LOG.trace("the process is ending and runs the hook itself", e);
    }
  }

  private void open(ConnectionStartup links) {
    ground.servers().awaitReady();
    links.open();
    links.awaitOpen();
    var tasks = new ArrayList<StartupTask>();
    closer.step(() -> tasks.addAll(ground.context().getBeansOfType(StartupTask.class)));
    tasks.forEach(task -> closer.step(task::atStart));
    closer.step(this::openDoor);
  }

  private void openDoor() {
    door.start();
    closer.opened("requests under way", this::finishRequests);
    closer.opened("run.json", this::deleteRunFile);
    ground.servers().onRestart(this::writeRunFile);
    writeRunFile();
    sayReady();
  }

  /// New connections are refused from now on; requests that are under way are waited for.
  private void finishRequests() {
    var requests = context().getBean(GracefulShutdownManager.class);
    try {
      requests.shutdownGracefully().toCompletableFuture().get(GRACE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("Requests are still under way after {} s; ending anyway", GRACE_SECONDS);
    }
  }

  private RunFile runFile() {
    return new RunFile(ground.folder());
  }

  private synchronized void deleteRunFile() {
    runFile().delete();
  }

  /// Servers that come back at the same moment take turns, and none writes after the end has begun.
  private synchronized void writeRunFile() {
    if (closer.isClosed()) {
      return; // a server came back while we end
    }
    runFile()
        .write(
            new RunFile.Content(
                ProcessHandle.current().pid(),
                http().toString(),
                context().getBean(RedisSettings.class).uri(),
                context().getBean(PostgresSettings.class).url(),
                RunFile.orNull(ground.servers().redisPid()),
                RunFile.orNull(ground.servers().postgresPid())),
            context().getBean(ObjectMapper.class));
  }

  private void giveUp(String why) {
    end.completeExceptionally(new StartFailure(why));
  }

  private void sayReady() {
    var sinceStart = ManagementFactory.getRuntimeMXBean().getUptime() / 1_000.0;
    LOG.info("Holdfast {} is ready after {} s", Version.CURRENT, "%.1f".formatted(sinceStart));
    LOG.info("  page   {}", http());
    LOG.info("  docs   {}/docs", http());
    LOG.info("  try    {}", firstCall());
  }

  /// A line to copy that works as it stands.
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
