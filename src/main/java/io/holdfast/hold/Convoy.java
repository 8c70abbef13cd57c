package io.holdfast.hold;

import io.holdfast.intent.IntentUnavailable;
import io.holdfast.pool.PoolName;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Calls of one script for one pool that travel together. Redis runs one script at a time, so who
/// comes while a call is under way loses nothing by waiting for its end, and one call for many
/// costs Redis and us less than half of many calls. Who comes alone is sent at once.
///
/// @param <C> what is asked for
final class Convoy<C> {
  /// Texts that one call may carry: about two milliseconds of Redis' time, in which others wait.
  static final int TEXTS_MAX = 384;

  private final Sending<C> sending;
  private final Weight<C> weight;
  private final boolean isSerial;
  private final Map<PoolName, Road> roads = new ConcurrentHashMap<>();

  /// @param isSerial whether one call is run after the other where they go; otherwise nobody waits
  Convoy(Sending<C> sending, Weight<C> weight, boolean isSerial) {
    this.sending = sending;
    this.weight = weight;
    this.isSerial = isSerial;
  }

  @FunctionalInterface
  interface Sending<C> {
    CompletionStage<List<Object>> send(PoolName pool, List<C> calls);
  }

  /// How many texts a call consists of.
  @FunctionalInterface
  interface Weight<C> {
    int of(C call);
  }

  private record Member<C>(C call, CompletableFuture<List<Object>> reply) {}

  /// Ends with the reply to this call, or as the call failed that carried it.
  CompletionStage<List<Object>> join(PoolName pool, C call) {
    if (!isSerial) {
      return sending.send(pool, List.of(call));
    }
    var member = new Member<>(call, new CompletableFuture<List<Object>>());
    roads.computeIfAbsent(pool, Road::new).join(member);
    return member.reply;
  }

  /// The way to one pool: one call on it at a time. There are as many as pools were sold from.
  private final class Road {
    private final PoolName pool;
    private final ArrayDeque<Member<C>> waiting = new ArrayDeque<>();
    private boolean isTaken;

    Road(PoolName pool) {
      this.pool = pool;
    }

    void join(Member<C> member) {
      synchronized (waiting) {
        waiting.add(member);
        if (isTaken) {
          return;
        }
        isTaken = true;
      }
      sendNext();
    }

    private void sendNext() {
      var members = next();
      if (!members.isEmpty()) {
        send(members);
      }
    }

    private void giveUp(Throwable failure) {
      List<Member<C>> left;
      synchronized (waiting) {
        left = List.copyOf(waiting);
        waiting.clear();
        isTaken = false;
      }
      var notSent = new IntentUnavailable(true, failure);
      left.forEach(member -> member.reply.completeExceptionally(notSent));
    }

    private List<Member<C>> next() {
      synchronized (waiting) {
        var members = new ArrayList<Member<C>>();
        for (var texts = 0; !waiting.isEmpty(); ) {
          texts += weight.of(waiting.peek().call);
          if (texts > TEXTS_MAX && !members.isEmpty()) {
            break;
          }
          members.add(waiting.poll());
        }
        isTaken = !members.isEmpty();
        return members;
      }
    }

    private void send(List<Member<C>> members) {
      CompletionStage<List<Object>> reply;
      try {
        reply = sending.send(pool, members.stream().map(Member::call).toList());
      } catch (RuntimeException e) { // or the road would be taken for ever
        reply = CompletableFuture.failedStage(e);
      }
      reply.whenComplete((told, failure) -> arrived(members, told, failure));
    }

    /// The next ones set out before these go on, which may take a while. Where one call was lost
    /// the next would be: whoever waits is told so at once, not after one time limit more for each.
    private void arrived(
        List<Member<C>> members, @Nullable List<Object> told, @Nullable Throwable failure) {
      if (failure == null) {
        sendNext();
      } else {
        giveUp(failure);
      }
      for (var i = 0; i < members.size(); i++) {
        var reply = members.get(i).reply;
        if (told == null) {
          reply.completeExceptionally(failure);
        } else {
          reply.complete(part(told, i));
        }
      }
    }
  }

  /// What is told to several calls is a list of answers; anything else is told to all of them.
  @SuppressWarnings("unchecked")
  private static List<Object> part(List<Object> told, int place) {
    return told.getFirst().equals("SEVERAL")
        ? (List<Object>) ((List<Object>) told.get(1)).get(place)
        : told;
  }
}
