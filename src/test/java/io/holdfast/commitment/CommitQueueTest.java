package io.holdfast.commitment;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CommitQueueTest {
  private static final int MOST = 4;

  private static final Duration WELL_BEFORE_PATIENCE_ENDS = Duration.ofSeconds(20);

  private final CommitQueue<Integer> boarding = new CommitQueue<>(MOST, Duration.ofMinutes(1));

  @Test
  void who_comes_while_nobody_is_under_way_goes_at_once() throws Exception {
    boarding.add(1);

    assertThat(boarding.take(List.of())).containsExactly(1);
  }

  @Test
  void who_was_left_behind_goes_first_and_at_once() throws Exception {
    boarding.add(1);
    boarding.take(List.of());
    boarding.add(2);

    assertThat(boarding.take(List.of(0))).containsExactly(0, 2);
  }

  @Test
  void who_is_announced_is_waited_for() throws Exception {
    boarding.announce();
    boarding.add(1);
    var next = next();

    boarding.add(2);
    boarding.present();

    assertThat(next.join()).containsExactly(1, 2);
  }

  @Test
  void who_is_announced_and_never_comes_keeps_nobody() throws Exception {
    boarding.announce();
    boarding.add(1);

    assertThat(boarding.take(List.of())).containsExactly(1);
  }

  @Test
  void beside_a_large_one_the_next_waits_for_company_and_goes_when_it_is_half_as_large()
      throws Exception {
    boarding.take(List.of(-4, -3, -2, -1));
    var next = next();
    boarding.add(1);
    boarding.add(2);

    assertThat(next).succeedsWithin(WELL_BEFORE_PATIENCE_ENDS).isEqualTo(List.of(1, 2));
  }

  @Test
  void it_does_not_wait_longer_than_the_other_one_is_under_way() {
    next(List.of(-3, -2, -1)).join();
    var next = next();
    boarding.add(1);

    boarding.arrived(3);

    assertThat(next.join()).containsExactly(1);
  }

  @Test
  void it_does_not_wait_for_ever_for_one_that_never_ends() throws Exception {
    var hasty = new CommitQueue<Integer>(MOST, Duration.ofMillis(10));
    hasty.take(List.of(-3, -2, -1));
    hasty.add(1);

    assertThat(hasty.take(List.of())).containsExactly(1);
  }

  @Test
  void no_transaction_takes_more_than_it_may_and_the_rest_is_not_forgotten() {
    for (var i = 1; i <= 6; i++) {
      boarding.add(i);
    }

    assertThat(next().join()).containsExactly(1, 2, 3, 4);
    boarding.arrived(MOST);
    assertThat(next().join()).containsExactly(5, 6);
  }

  @Test
  void a_crowd_is_taken_by_several_and_nobody_is_left() {
    var workers = List.of(next(), next(), next());
    for (var i = 1; i <= 3 * MOST; i++) {
      boarding.add(i);
    }

    var taken = workers.stream().flatMap(worker -> worker.join().stream()).toList();
    var all = Stream.concat(taken.stream(), boarding.rest().stream()).sorted().toList();
    assertThat(all).isEqualTo(IntStream.rangeClosed(1, 3 * MOST).boxed().toList());
  }

  private CompletableFuture<List<Integer>> next() {
    return next(List.of());
  }

  private CompletableFuture<List<Integer>> next(List<Integer> left) {
    var taken = new CompletableFuture<List<Integer>>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                taken.complete(boarding.take(left));
              } catch (InterruptedException e) {
                taken.completeExceptionally(e);
              }
            });
    return taken;
  }
}
