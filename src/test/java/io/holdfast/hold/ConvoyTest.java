package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.intent.IntentUnavailable;
import io.holdfast.pool.PoolName;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Calls of one pool travel together while one of them is under way, and each gets its own answer.
class ConvoyTest {
  private static final PoolName ARENA = new PoolName("arena");
  private static final PoolName HALL = new PoolName("hall");

  private final List<Sent> sent = new ArrayList<>();
  private final Convoy<String> convoy = convoy(1, true);

  private record Sent(PoolName pool, List<String> calls, CompletableFuture<List<Object>> reply) {
    /// Each is told its own name.
    void answer() {
      reply.complete(
          calls.size() == 1
              ? List.of("TOLD", calls.getFirst())
              : List.of(
                  "SEVERAL", calls.stream().map(call -> List.<Object>of("TOLD", call)).toList()));
    }
  }

  private Convoy<String> convoy(int weight, boolean isSerial) {
    return new Convoy<>(this::send, _ -> weight, isSerial);
  }

  private CompletionStage<List<Object>> send(PoolName pool, List<String> calls) {
    var reply = new CompletableFuture<List<Object>>();
    sent.add(new Sent(pool, calls, reply));
    return reply;
  }

  @Test
  void who_comes_alone_is_sent_at_once() {
    var one = convoy.join(ARENA, "one");

    assertThat(sent.getFirst().calls).containsExactly("one");
    sent.getFirst().answer();
    assertThat(one.toCompletableFuture().join()).containsExactly("TOLD", "one");
    convoy.join(ARENA, "two");
    assertThat(sent.getLast().calls).containsExactly("two");
  }

  @Test
  void who_comes_meanwhile_travels_together_and_each_gets_its_own_answer() {
    convoy.join(ARENA, "one");
    var two = convoy.join(ARENA, "two");
    var three = convoy.join(ARENA, "three");
    assertThat(sent).hasSize(1);

    sent.getFirst().answer();
    sent.getLast().answer();

    assertThat(sent.getLast().calls).containsExactly("two", "three");
    assertThat(two.toCompletableFuture().join()).containsExactly("TOLD", "two");
    assertThat(three.toCompletableFuture().join()).containsExactly("TOLD", "three");
  }

  @Test
  void what_is_said_to_all_is_said_to_each() {
    convoy.join(ARENA, "one");
    var others = List.of(convoy.join(ARENA, "two"), convoy.join(ARENA, "three"));
    sent.getFirst().answer();

    sent.getLast().reply.complete(List.of("UNSEEDED", "LOST"));

    assertThat(others)
        .allSatisfy(
            each ->
                assertThat(each.toCompletableFuture().join()).containsExactly("UNSEEDED", "LOST"));
  }

  @Test
  void who_waits_behind_a_call_that_is_lost_is_told_that_nothing_was_sent_and_the_next_is_sent() {
    convoy.join(ARENA, "one");
    var two = convoy.join(ARENA, "two");
    sent.getFirst().answer();
    var three = convoy.join(ARENA, "three");

    sent.get(1).reply.completeExceptionally(new IllegalStateException("lost"));

    assertThatThrownBy(() -> two.toCompletableFuture().join()).hasMessageContaining("lost");
    assertThatThrownBy(() -> three.toCompletableFuture().join())
        .hasCauseInstanceOf(IntentUnavailable.class)
        .satisfies(e -> assertThat(((IntentUnavailable) e.getCause()).isDefinite()).isTrue());
    assertThat(sent).hasSize(2);
    convoy.join(ARENA, "four");
    assertThat(sent.getLast().calls).containsExactly("four");
  }

  @Test
  void one_call_carries_only_so_much() {
    var heavy = convoy(Convoy.TEXTS_MAX / 2, true);
    IntStream.range(0, 4).forEach(i -> heavy.join(ARENA, "call-" + i));

    sent.getFirst().answer();
    sent.get(1).answer();

    assertThat(sent.get(1).calls).hasSize(2);
    assertThat(sent.get(2).calls).hasSize(1);
  }

  @Test
  void pools_do_not_wait_for_one_another_and_nobody_waits_where_calls_run_side_by_side() {
    convoy.join(ARENA, "one");
    convoy.join(HALL, "two");
    assertThat(sent).extracting(Sent::pool).containsExactly(ARENA, HALL);

    var free = convoy(1, false);
    free.join(ARENA, "three");
    free.join(ARENA, "four");
    assertThat(sent).hasSize(4);
  }
}
