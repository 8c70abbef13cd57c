package io.holdfast.runtime;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Keeps the batches that were sent. A test replies to them, and runs what is to be done later.
final class RecordingRoute implements BatchRoute<String, String, String> {
  final List<Sent> sent = new ArrayList<>();
  private final ArrayDeque<Runnable> later = new ArrayDeque<>();

  record Sent(String key, List<String> calls, CompletableFuture<List<@Nullable String>> replies) {}

  @Override
  public Executor executor(String key) {
    return later::add;
  }

  @Override
  public String group(String key) {
    return key;
  }

  @Override
  public int weight(String call) {
    return call.length();
  }

  @Override
  public CompletionStage<List<@Nullable String>> send(String key, List<String> calls) {
    if (calls.contains("broken")) {
      throw new IllegalStateException("broken");
    }
    var replies = new CompletableFuture<List<@Nullable String>>();
    sent.add(new Sent(key, calls, replies));
    return replies;
  }

  @Override
  public String alone(String call) {
    return call + " alone";
  }

  @Override
  public Throwable notSent(Throwable failure) {
    return new IllegalStateException("not sent");
  }

  /// Runs what was to be done after the work at hand.
  void go() {
    while (!later.isEmpty()) {
      later.poll().run();
    }
  }

  void reply(int number) {
    var batch = sent.get(number);
    batch.replies.complete(batch.calls.stream().map(call -> "reply to " + call).toList());
    go();
  }
}
