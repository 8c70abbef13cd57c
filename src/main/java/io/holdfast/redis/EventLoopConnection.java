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

/// One event loop's own way to one Redis server. Everything here happens on that loop: a request
/// that came in on it goes out and comes back without changing threads, and all calls of one turn
/// of the loop leave in one packet.
///
/// A connection is never mended, only replaced, so the run id that was read on it is that of the
/// server at its other end for as long as it lives.
final class EventLoopConnection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EventLoopConnection.class);
  private static final long LOOK_MS = 25;
  private static final long PAUSE_MIN_MS = 20;
  private static final long PAUSE_MAX_MS = 1_000;

  private final RedisClient client;
  private final RedisURI server;
  private final EventLoop loop;
  private final int callsMax;
  private final CallsInFlight inFlight;
  private final CompletableFuture<Void> firstWire = new CompletableFuture<>();

  private @Nullable ServerConnection wire;
  private boolean isFlushDue;
  private boolean isLookDue;
  private long pauseMs = PAUSE_MIN_MS;
  private volatile boolean isClosed;

  EventLoopConnection(
      ClientResources resources, RedisURI server, EventLoop loop, RedisSettings settings) {
    this.client = RedisClient.create(resources);
    client.setOptions(RedisOptions.forLane(settings));
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

  /// Done when the first connection stands, or failed if it could not be made.
  CompletionStage<Void> firstWire() {
    return firstWire;
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

  /// The loop of a server that stops takes no more work; nobody waits for an answer by then.
  private void connect() {
    if (isClosed) {
      firstWire.completeExceptionally(new RedisException("closed"));
      return;
    }
    client
        .connectAsync(StringCodec.UTF8, server)
        .thenCompose(connection -> ServerConnection.on(connection).toCompletableFuture())
        .whenComplete((made, failure) -> loop.execute(() -> connected(made, failure)));
  }

  private void connected(@Nullable ServerConnection made, @Nullable Throwable failure) {
    if (made == null) {
      firstWire.completeExceptionally(failure == null ? new RedisException("lost") : failure);
      LOG.debug("no connection to {}, next try in {} ms", server.getHost(), pauseMs, failure);
      later();
      return;
    }
    pauseMs = PAUSE_MIN_MS;
    wire = made;
    made.connection().setAutoFlushCommands(false);
    made.onEnd(() -> loop.execute(() -> lost(made)));
    firstWire.complete(null);
    if (!made.connection().isOpen()) {
      lost(made); // before anybody listened
    }
  }

  private void lost(ServerConnection ended) {
    if (wire == ended) {
      wire = null;
      if (!isClosed) { // or the client has closed it
        ended.connection().closeAsync();
      }
      later();
    }
  }

  private void later() {
    if (!isClosed) {
      loop.schedule(this::connect, pauseMs, TimeUnit.MILLISECONDS);
      pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS);
    }
  }

  private void send(Call call) {
    var present = wire;
    if (!firstWire.isDone()) {
      firstWire.whenComplete((_, _) -> send(call));
    } else if (present == null || !present.connection().isOpen()) {
      call.completeExceptionally(RedisUnavailable.notSent("not connected to Redis"));
      if (present != null) {
        lost(present); // before anybody listened
      }
    } else if (inFlight.size() >= callsMax) {
      call.completeExceptionally(RedisUnavailable.notSent("too many calls wait for Redis"));
    } else {
      inFlight.add(call);
      lookLater();
      call.arguments[0] = present.runId().value();
      call.sendOn(present.connection());
      flushLater();
    }
  }

  /// Runs when the loop has read from all its sockets: one packet for all that they asked for.
  private void flushLater() {
    if (!isFlushDue) {
      isFlushDue = true;
      loop.execute(
          () -> {
            isFlushDue = false;
            if (wire != null) {
              wire.connection().flushCommands();
              inFlight.flushed();
            }
          });
    }
  }

  /// Only while an answer is due: an idle lane costs nothing. No PeriodicTask: everything here
  /// happens on the loop, and a look must not change threads.
  private void lookLater() {
    if (!isLookDue && !isClosed) {
      isLookDue = true;
      loop.schedule(this::look, LOOK_MS, TimeUnit.MILLISECONDS);
    }
  }

  private void look() {
    isLookDue = false;
    inFlight.giveUpOnLate();
    if (inFlight.size() > 0) {
      lookLater();
    }
  }

  /// One script on its way.
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
      if (failure instanceof RedisNoScriptException) { // it was not run, so it may be sent again
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
