package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testing.Await;
import io.holdfast.testing.Together;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class GatheringTest {
  private final List<List<Integer>> parties = new CopyOnWriteArrayList<>();

  @Test
  void nobody_waits_for_company() {
    var gathering = gathering(1, 10, Function.identity());

    assertThat(gathering.join(7)).contains(7);
    assertThat(parties).containsExactly(List.of(7));
  }

  @Test
  void who_comes_while_others_are_served_goes_together() throws Exception {
    var isOpen = new CountDownLatch(1);
    var gathering = gathering(1, 4, awaiting(isOpen));

    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      var first = executor.submit(() -> gathering.join(0));
      Await.until(Duration.ofSeconds(5), () -> parties.size() == 1);
      var others = joining(executor, gathering, 1, 2, 3, 4, 5, 6);
      isOpen.countDown();

      assertThat(first.get()).contains(0);
      for (var i = 0; i < others.size(); i++) {
        assertThat(others.get(i).get()).contains(i + 1);
      }
    }
    assertThat(parties).containsExactly(List.of(0), List.of(1, 2, 3, 4), List.of(5, 6));
  }

  @Test
  void so_many_are_under_way_at_a_time_and_no_more() {
    var now = new AtomicInteger();
    var most = new AtomicInteger();
    var gathering =
        gathering(
            2,
            3,
            question -> {
              most.accumulateAndGet(now.incrementAndGet(), Math::max);
              Thread.yield();
              now.decrementAndGet();
              return question;
            });

    var answers = Together.run(500, gathering::join);

    for (var i = 0; i < answers.size(); i++) {
      assertThat(answers.get(i)).contains(i);
    }
    assertThat(most.get()).isLessThanOrEqualTo(2);
    assertThat(parties).allMatch(party -> party.size() <= 3);
  }

  @Test
  void who_is_in_the_way_does_it_alone() {
    var gathering = gathering(1, 10, _ -> null);

    assertThat(gathering.join(1)).isEmpty();
  }

  @Test
  void if_nothing_was_done_each_does_it_alone() {
    var away = PostgresUnavailable.nothingChanged(new SQLException("away"));
    var gathering = gathering(1, 10, throwing(away));

    assertThat(gathering.join(1)).isEmpty();
    assertThat(gathering(1, 10, throwing(new IllegalStateException())).join(1)).isEmpty();
  }

  @Test
  void what_may_have_been_done_is_not_done_again() {
    var lost = PostgresUnavailable.perhapsChanged(new SQLException("the answer to COMMIT is lost"));
    var gathering = gathering(1, 10, throwing(lost));

    assertThatThrownBy(() -> gathering.join(1)).isSameAs(lost);
  }

  @Test
  void nobody_waits_for_who_has_died() {
    var gathering = gathering(1, 10, throwing(new StackOverflowError()));

    assertThatThrownBy(() -> gathering.join(1)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void who_waits_behind_one_that_has_died_is_served() throws Exception {
    var isOpen = new CountDownLatch(1);
    var awaiting = awaiting(isOpen);
    var dying = throwing(new StackOverflowError());
    var gathering =
        gathering(
            1, 1, question -> (awaiting.apply(question) == 0 ? dying : awaiting).apply(question));

    Thread.ofVirtual().start(() -> gathering.join(0));
    Await.until(Duration.ofSeconds(5), () -> parties.size() == 1);
    var second = new FutureTask<>(() -> gathering.join(1));
    var waiting = Thread.ofVirtual().start(second);
    Await.until(Duration.ofSeconds(5), () -> waiting.getState() == Thread.State.WAITING);
    isOpen.countDown();

    assertThat(second.get(5, TimeUnit.SECONDS)).contains(1);
  }

  private Gathering<Integer, Integer> gathering(
      int hosts, int most, Function<Integer, Integer> answer) {
    return new Gathering<>(
        "test",
        hosts,
        most,
        party -> {
          parties.add(List.copyOf(party));
          return new ArrayList<>(party.stream().map(answer).toList());
        });
  }

  private static Function<Integer, Integer> awaiting(CountDownLatch isOpen) {
    return question -> {
      try {
        isOpen.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return question;
    };
  }

  /// One after the other, so that their order is known.
  private static List<Future<Optional<Integer>>> joining(
      ExecutorService executor, Gathering<Integer, Integer> gathering, int... questions) {
    var joining = new ArrayList<Future<Optional<Integer>>>();
    for (var question : questions) {
      var thread = new CopyOnWriteArrayList<Thread>();
      joining.add(
          executor.submit(
              () -> {
                thread.add(Thread.currentThread());
                return gathering.join(question);
              }));
      Await.until(
          Duration.ofSeconds(5),
          () -> !thread.isEmpty() && thread.getFirst().getState() == Thread.State.WAITING);
    }
    return joining;
  }

  private static Function<Integer, Integer> throwing(Throwable thrown) {
    return _ -> {
      if (thrown instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) thrown;
    };
  }
}
