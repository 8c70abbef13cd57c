package io.holdfast.ablation;

import static io.holdfast.ablation.Ablation.cut;

import java.util.List;

/// The safeguards of answers and refusals under load.
final class BatchCatalogue {
  private static final String BATCHER = "src/main/java/io/holdfast/runtime/Batcher.java";
  private static final String SHEDDING =
      "src/main/java/io/holdfast/web/connection/HoldShedding.java";
  private static final String OVERLOAD = "io.holdfast.runtime.BatcherTest";

  private BatchCatalogue() {}

  static final List<Ablation> ALL =
      List.of(
          new Ablation(
              "time limit of a call that waits",
              List.of(
                  cut(
                      "src/main/java/io/holdfast/runtime/BatchQueue.java",
                      "now - calls.peek().since > policy.waitMax().toNanos()",
                      "now - calls.peek().since == Long.MAX_VALUE")),
              List.of(
                  OVERLOAD
                      + "#a_call_that_has_waited_too_long_is_refused_while_the_batch_before_it_does_not_end",
                  "io.holdfast.hold.HoldWaitTest")),
          new Ablation(
              "estimate of how long a call will wait",
              List.of(
                  cut(
                      "src/main/java/io/holdfast/runtime/QueueLimit.java",
                      "return pending >= limit;",
                      "return pending >= pendingMax;")),
              List.of("io.holdfast.runtime.QueueLimitTest")),
          new Ablation(
              "refusal at the header",
              List.of(cut(SHEDDING, "if (retryAfter == null) {", "if (true) {")),
              List.of("io.holdfast.web.connection.HoldSheddingTest")),
          new Ablation(
              "heartbeats that pass under overload",
              List.of(
                  cut(SHEDDING, "&& uri.endsWith(HOLDS)", ""),
                  cut(SHEDDING, "&& uri.startsWith(POOLS)", "")),
              List.of("io.holdfast.web.connection.HoldSheddingTest")),
          new Ablation(
              "refusal only of clients that read",
              List.of(cut(SHEDDING, "&& context.channel().isWritable()", "")),
              List.of("io.holdfast.web.connection.HoldSheddingTest")),
          new Ablation(
              "refusal only of the pool that waits",
              List.of(cut(BATCHER, " || !slowGroups.contains(group)", "")),
              List.of(OVERLOAD)),
          new Ablation(
              "answer to a sale under load",
              List.of(
                  cut(
                      "src/main/java/io/holdfast/confirm/ConfirmFlow.java",
                      "case Shed _ ->\n"
                          + "                    commit(new PinResult.Away(\"Too many calls wait"
                          + " for Redis\"), pinsLeft);",
                      "")),
              List.of("io.holdfast.hold.HoldWaitTest")),
          new Ablation(
              "limit of pending calls",
              List.of(
                  cut(
                      BATCHER,
                      "if (pending.incrementAndGet() > policy.pendingMax()) {",
                      "if (pending.incrementAndGet() < 0) {")),
              List.of(
                  OVERLOAD
                      + "#more_calls_than_may_be_pending_are_refused_at_once_and_others_go_on")),
          new Ablation(
              "reply that is read before a call is late",
              List.of(
                  cut(
                      "src/main/java/io/holdfast/redis/CallsInFlight.java",
                      "if (isLate && sent.wasLate) {",
                      "if (isLate) {")),
              List.of(
                  "io.holdfast.redis.CallsInFlightTest#a_reply_read_between_two_checks_of_a_late_loop_counts")),
          new Ablation(
              "state of a refusal",
              List.of(
                  cut(
                      "redis-scripts/hold/best.lua",
                      "(manner == 'LAST' and known == present)",
                      "(manner == 'LAST')")),
              List.of("io.holdfast.hold.BestAvailableModelTest")));
}
