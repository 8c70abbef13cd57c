package io.holdfast.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Puts load on a service over thousands of connections and classifies every answer. One thread
/// serves all connections. A connection whose request was shed sends the same request again as its
/// next one, so shed requests use up no items, and a shed request that was done all the same shows
/// as a replay.
///
/// A connection that ends is counted and replaced after a pause. The driver ends by itself: at the
/// end of its pace or of its requests, and `PATIENCE` later if answers are missing then.
public final class LoadDriver {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long PAUSE_NANOS = Duration.ofMillis(100).toNanos();
  private static final long SELECT_MS_MAX = 20;
  private static final long NANOS_A_MILLI = 1_000_000;

  private final LoadRun run;
  private final LoadListener listener;
  private final List<Client> all = new ArrayList<>();
  private final ArrayDeque<Client> free = new ArrayDeque<>();
  private final ArrayDeque<Lost> lost = new ArrayDeque<>();
  private final Map<Client, Long> underWay = new IdentityHashMap<>();
  private final Set<Client> shed = new HashSet<>();
  private long start;
  private long sent;
  private long fresh;

  private LoadDriver(LoadRun run, LoadListener listener) {
    this.run = run;
    this.listener = listener;
  }

  /// Returns the requests that were due and not sent, because no connection was free.
  public static long run(LoadRun run, LoadListener listener) {
    try {
      return new LoadDriver(run, listener).run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long run() throws IOException {
    try (var selector = Selector.open()) {
      for (int i = 0; i < run.connections(); i++) {
        all.add(Client.connect(run.address(), selector));
      }
      free.addAll(all);
      return run(selector);
    } finally {
      for (var client : all) {
        client.close();
      }
    }
  }

  private long run(Selector selector) throws IOException {
    start = System.nanoTime();
    var end = run.pace().end().toNanos();
    while (now() < end && (fresh < run.freshMax() || !underWay.isEmpty())) {
      connectLost(selector);
      sendDue(end);
      selector.select(this::receive, pauseMillis());
    }
    while (!underWay.isEmpty() && now() < end + PATIENCE.toNanos()) {
      selector.select(this::receive, SELECT_MS_MAX);
    }
    underWay.forEach((_, due) -> listener.answered(Answer.BROKEN, due, now()));
    return countDue(end) - sent;
  }

  /// The requests that were due until then. A closed loop sends all that are due.
  private long countDue(long end) {
    var count = sent;
    while (fresh < run.freshMax() && run.pace().due(count, end) < end) {
      count++;
    }
    return count;
  }

  private void sendDue(long end) {
    while (!free.isEmpty() && fresh < run.freshMax()) {
      var now = now();
      var due = run.pace().due(sent, now);
      if (due > now || now >= end) {
        return;
      }
      send(free.pop(), due);
    }
  }

  private void send(Client client, long due) {
    sent++;
    underWay.put(client, due);
    try {
      if (shed.remove(client)) {
        client.sendAgain(now());
      } else {
        fresh++;
        client.send(run.requests(), now());
      }
    } catch (IOException e) {
      lose(client);
    }
  }

  private void receive(SelectionKey key) {
    var client = (Client) key.attachment();
    try {
      if (client.receive()) {
        take(client);
      }
    } catch (IOException e) {
      lose(client);
    }
  }

  private void take(Client client) {
    var due = underWay.remove(client);
    if (due == null) {
      return; // bytes that nobody asked for
    }
    var answer = Answer.of(client);
    if (answer == Answer.SHED) {
      shed.add(client);
    }
    listener.answered(answer, due, now());
    free.push(client);
  }

  /// The request under way may have been done. The next one on this connection is another one.
  private void lose(Client client) {
    var due = underWay.remove(client);
    listener.answered(Answer.BROKEN, due == null ? now() : due, now());
    free.remove(client);
    shed.remove(client);
    try {
      client.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    lost.add(new Lost(client, now() + PAUSE_NANOS));
  }

  private void connectLost(Selector selector) {
    while (!lost.isEmpty() && lost.peek().until() <= now()) {
      var client = lost.poll().client();
      try {
        client.connectAgain(run.address(), selector);
        free.add(client);
      } catch (IOException e) {
        listener.answered(Answer.BROKEN, now(), now());
        lost.add(new Lost(client, now() + PAUSE_NANOS));
      }
    }
  }

  /// At least one millisecond, in which the requests of an open loop gather: a driver that spins
  /// would take processor time from the service.
  private long pauseMillis() {
    if (free.isEmpty() || fresh >= run.freshMax()) {
      return SELECT_MS_MAX;
    }
    var wait = (run.pace().due(sent, now()) - now()) / NANOS_A_MILLI;
    return Math.clamp(wait, 1, SELECT_MS_MAX);
  }

  private long now() {
    return System.nanoTime() - start;
  }

  private record Lost(Client client, long until) {}
}
