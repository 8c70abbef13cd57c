package io.holdfast.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import io.netty.channel.EventLoop;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The connection of one event loop to one Redis server. All its work happens on that loop: a
/// request that the loop has read is sent and answered without a change of threads, and all calls
/// of one turn of the loop are sent in one packet.
///
/// A lost connection is replaced, never reconnected, so the run id that was read on it is always
/// that of the server at its other end.
final class EventLoopConnection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EventLoopConnection.class);
  private static final long CHECK_MS = 25;
  private static final long PAUSE_MIN_MS = 20;
  private static final long PAUSE_MAX_MS = 1_000;

  private final RedisClient client;
  private final RedisURI server;
  private final EventLoop loop;
  private final int callsMax;
  private final CallsInFlight inFlight;
  private final CompletableFuture<Void> firstConnection = new CompletableFuture<>();

  private @Nullable ServerConnection current;
  private boolean isFlushDue;
  private boolean isCheckDue;
  private long pauseMs = PAUSE_MIN_MS;
  private volatile boolean isClosed;

  EventLoopConnection(
      ClientResources resources, RedisURI server, EventLoop loop, RedisSettings settings) {
    this.client = RedisClient.create(resources);
    client.setOptions(RedisOptions.forEventLoop(settings));
    this.server = server;
    this.loop = loop;
    this.inFlight = new CallsInFlight(settings.commandTimeout());
    this.callsMax = settings.queueSize();
    loop.execute(this::connect);
  }

  RedisURI server() {
    return server;
  }

  EventLoop loop() {
    return loop;
  }

  /// Done when the first connection is open, or failed if it cannot be opened.
  CompletionStage<Void> firstConnection() {
    return firstConnection;
  }

  /// Ends with the reply or with `RedisUnavailable`. `arguments[0]` becomes the run id.
  CompletionStage<List<String>> call(Script script, String[] keys, String[] arguments) {
    var call = new Call(script, keys, arguments);
    if (loop.inEventLoop()) {
      send(call);
    } else {
      loop.execute(() -> send(call));
    }
    return call;
  }

  @Override
  public void close() {
    isClosed = true;
    client.shutdown();
  }

  /// After `close` nothing is connected: the event loop of a stopping server accepts no more work.
  private void connect() {
    if (isClosed) {
      firstConnection.completeExceptionally(new RedisException("closed"));
      return;
    }
    client
        .connectAsync(StringCodec.UTF8, server)
        .thenCompose(connection -> ServerConnection.on(connection).toCompletableFuture())
        .whenComplete((made, failure) -> loop.execute(() -> connected(made, failure)));
  }

  private void connected(@Nullable ServerConnection made, @Nullable Throwable failure) {
    if (made == null) {
      firstConnection.completeExceptionally(failure == null ? new RedisException("lost") : failure);
      LOG.debug("cannot connect to {}, next attempt in {} ms", server.getHost(), pauseMs, failure);
      reconnectLater();
      return;
    }
    pauseMs = PAUSE_MIN_MS;
    current = made;
    made.connection().setAutoFlushCommands(false);
    made.onEnd(() -> loop.execute(() -> lost(made)));
    firstConnection.complete(null);
    if (!made.connection().isOpen()) {
      lost(made); // it was closed before the listener was added
    }
  }

  private void lost(ServerConnection ended) {
    if (current == ended) {
      current = null;
      if (!isClosed) { // otherwise the client has closed it
        ended.connection().closeAsync();
      }
      reconnectLater();
    }
  }

  private void reconnectLater() {
    if (!isClosed) {
      loop.schedule(this::connect, pauseMs, TimeUnit.MILLISECONDS);
      pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS);
    }
  }

  private void send(Call call) {
    var present = current;
    if (!firstConnection.isDone()) {
      firstConnection.whenComplete((_, _) -> send(call));
    } else if (present == null || !present.connection().isOpen()) {
      call.completeExceptionally(RedisUnavailable.notSent("not connected to Redis"));
      if (present != null) {
        lost(present); // it was closed before the listener was added
      }
    } else if (inFlight.size() >= callsMax) {
      call.completeExceptionally(RedisUnavailable.notSent("too many calls are waiting for Redis"));
    } else {
      inFlight.add(call);
      checkLater();
      call.arguments[0] = present.runId().value();
      call.sendOn(present.connection());
      flushLater();
    }
  }

  /// Runs when the loop has read from all its sockets, so that one packet has all their calls.
  private void flushLater() {
    if (!isFlushDue) {
      isFlushDue = true;
      loop.execute(
          () -> {
            isFlushDue = false;
            if (current != null) {
              current.connection().flushCommands();
              inFlight.flushed();
            }
          });
    }
  }

  /// Runs only while replies are due, so an idle connection costs nothing. It is no PeriodicTask,
  /// because it has to run on the loop.
  private void checkLater() {
    if (!isCheckDue && !isClosed) {
      isCheckDue = true;
      loop.schedule(this::checkLate, CHECK_MS, TimeUnit.MILLISECONDS);
    }
  }

  private void checkLate() {
    isCheckDue = false;
    inFlight.failLate();
    if (inFlight.size() > 0) {
      checkLater();
    }
  }

  /// One script call.
  private final class Call extends CompletableFuture<List<String>> implements CallsInFlight.Call {
    private final Script script;
    private final String[] keys;
    private final String[] arguments;

    Call(Script script, String[] keys, String[] arguments) {
      this.script = script;
      this.keys = keys;
      this.arguments = arguments;
    }

    private void sendOn(StatefulRedisConnection<String, String> connection) {
      try {
        connection
            .async()
            .<List<String>>evalsha(script.sha1(), ScriptOutputType.MULTI, keys, arguments)
            .whenComplete((reply, failure) -> answered(connection, reply, failure));
      } catch (RedisException e) {
        fail(e);
      }
    }

    private void answered(
        StatefulRedisConnection<String, String> connection,
        @Nullable List<String> reply,
        @Nullable Throwable failure) {
      if (failure
          instanceof RedisNoScriptException) { // it was not run, so sending it again is safe
        connection
            .async()
            .<List<String>>eval(script.text(), ScriptOutputType.MULTI, keys, arguments)
            .whenComplete((again, lost) -> end(again, lost));
        flushLater();
      } else {
        end(reply, failure);
      }
    }

    private void end(@Nullable List<String> reply, @Nullable Throwable failure) {
      if (failure != null) {
        fail(failure);
      } else {
        complete(reply);
      }
      inFlight.removeEnded();
    }

    @Override
    public void fail(Throwable failure) {
      if (RedisUnavailable.isOfScript(failure)) {
        LOG.error("Script {} failed: {}", script.name(), failure.getMessage());
      }
      completeExceptionally(RedisUnavailable.because(failure));
    }
  }
}
