package io.holdfast.checkout.saga;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.checkout.CheckoutSettings;
import io.holdfast.checkout.saga.CheckoutRun.Order;
import io.holdfast.checkout.saga.CheckoutRun.Phase;
import io.holdfast.checkout.saga.CheckoutRun.StepState;
import io.holdfast.checkout.saga.StepOutcome.Failed;
import io.holdfast.checkout.saga.StepOutcome.Unknown;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.Price;
import io.holdfast.postgres.Transactions;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Hotel, flight and payment: the same engine and the same tables as a checkout, another
/// declaration.
@ExtendWith(RealServers.class)
class TripSagaTest {
  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final PoolName POOL = new PoolName("trips");
  private static final CheckoutSettings SETTINGS =
      new CheckoutSettings(
          Duration.ofSeconds(5),
          Duration.ofMillis(500),
          1,
          2,
          3,
          Duration.ofMillis(10),
          Duration.ofMinutes(1));

  private final Trip trip = new Trip();
  private Transactions transactions;
  private SagaEngine engine;

  @BeforeEach
  void connect(Service service) {
    transactions = service.context().getBean(Transactions.class);
    engine = new SagaEngine(new TurnStore(transactions, SETTINGS, (_, _) -> {}));
  }

  @Test
  @Requirement("BR-S-8")
  void a_trip_without_failures_is_booked_completely() {
    var run = through(begun());

    assertThat(run.phase()).isEqualTo(Phase.DONE);
    assertThat(trip.booked).containsExactlyInAnyOrder("hotel", "flight", "payment");
    assertThat(trip.calls).containsExactly("book hotel", "book flight", "book payment");
  }

  static Stream<List<String>> failures() {
    return Stream.of(
        List.of("hotel"),
        List.of("flight", "cancel hotel"),
        List.of("payment", "cancel flight", "cancel hotel"));
  }

  @ParameterizedTest
  @MethodSource("failures")
  @Requirement({"BR-S-1", "BR-S-7", "BR-S-8", "BR-X-6"})
  void a_failed_step_undoes_the_steps_before_it_in_reverse(List<String> expected) {
    var failing = expected.getFirst();
    trip.act(failing, () -> new Failed("full", "no room left"));

    var run = through(begun());

    assertThat(run.phase()).isEqualTo(Phase.COMPENSATED);
    assertThat(run.failure()).isEqualTo(new CheckoutRun.Failure("full", "no room left"));
    assertThat(trip.booked).isEmpty();
    assertThat(trip.calls.stream().filter(call -> call.startsWith("cancel")))
        .containsExactlyElementsOf(expected.subList(1, expected.size()));
  }

  @Test
  @Requirement("BR-S-6")
  void a_step_without_an_answer_is_repeated_and_then_undone() {
    trip.act(
        "flight",
        () -> {
          trip.booked.add("flight"); // it is done, and nobody ever hears of it
          return new Unknown("no answer");
        });

    var run = through(begun());

    assertThat(run.phase()).isEqualTo(Phase.COMPENSATED);
    assertThat(trip.booked).isEmpty();
    assertThat(trip.calls)
        .containsExactly(
            "book hotel", "book flight", "book flight", "cancel flight", "cancel hotel");
  }

  @Test
  @Requirement({"BR-S-2", "BR-S-6"})
  void a_run_resumed_after_a_crash_repeats_its_call_without_a_second_effect() {
    var run = begun();
    trip.saga().step(0).act(run, run.steps().getFirst().callId()); // and died before storing it

    var resumed = through(run);

    assertThat(resumed.phase()).isEqualTo(Phase.DONE);
    assertThat(trip.calls).startsWith("book hotel", "book hotel", "book flight");
    assertThat(trip.booked).hasSize(3);
  }

  @Test
  @Requirement({"BR-S-2", "BR-S-6"})
  void a_runner_that_dies_during_compensation_repeats_it_without_error() {
    trip.act("payment", () -> new Failed("declined", "no money"));
    var run = begun();
    while (run.phase() == Phase.FORWARD) {
      run = engine.turn(trip.saga(), run).orElseThrow().run();
    }
    trip.saga().step(1).undo(run, run.steps().get(1).undoId()); // and died before storing it

    var resumed = through(run);

    assertThat(resumed.phase()).isEqualTo(Phase.COMPENSATED);
    assertThat(trip.booked).isEmpty();
    assertThat(resumed.steps().get(1).detail()).isEqualTo("already cancelled");
  }

  @Test
  @Requirement("BR-S-3")
  void a_compensation_that_fails_is_tried_again_and_does_not_stop_the_others() {
    var failures = new AtomicInteger(2);
    trip.act("payment", () -> new Failed("declined", "no money"));
    trip.undo(
        "flight", () -> failures.getAndDecrement() > 0 ? new Failed("busy", "call later") : null);

    var run = through(begun());

    assertThat(run.phase()).isEqualTo(Phase.COMPENSATED);
    assertThat(trip.booked).isEmpty();
    assertThat(trip.calls.stream().filter(call -> call.startsWith("cancel")))
        .containsExactly("cancel flight", "cancel hotel", "cancel flight", "cancel flight");
  }

  @Test
  @Requirement({"BR-S-3", "BR-S-6"})
  void a_compensation_that_always_fails_ends_as_stuck() {
    trip.act("payment", () -> new Failed("declined", "no money"));
    trip.undo("flight", () -> new Failed("closed", "the airline is gone"));

    var run = through(begun());

    assertThat(run.phase()).isEqualTo(Phase.STUCK);
    assertThat(trip.booked).containsExactly("flight");
    assertThat(run.steps().get(1).undo()).isEqualTo(StepState.Undo.STUCK);
    assertThat(run.steps().get(1).detail()).isEqualTo("the airline is gone");
    assertThat(run.steps().get(0).undo()).isEqualTo(StepState.Undo.DONE);
  }

  @Test
  void a_runner_that_lost_its_lease_stores_nothing() {
    var run = begun();
    takeOver(run);

    assertThat(engine.turn(trip.saga(), run)).isEmpty();
    assertThat(stored(run).stepsDone()).isZero();
  }

  @Test
  void no_hold_has_two_runs() {
    var run = begun();
    var second =
        CheckoutRun.planned(
            id(),
            trip.saga(),
            new Order("c", "r", run.order().holdId(), 1, "p", "m", PRICE, "", null, null));

    assertThat(inserted(second)).isNull();
  }

  private static final Price PRICE = new Price(100, "EUR");

  /// As the runners do, but without resting.
  private CheckoutRun through(CheckoutRun first) {
    var run = first;
    for (var turns = 0; turns < 20 && !run.phase().isEnd(); turns++) {
      run = engine.turn(trip.saga(), run).orElseThrow().run();
      assertThat(stored(run).phase()).isEqualTo(run.phase());
    }
    return run;
  }

  private CheckoutRun begun() {
    var order =
        new Order(
            "caller", "ann", "trip-" + COUNT.incrementAndGet(), 1, "p", "m", PRICE, "", null, null);
    var run = CheckoutRun.planned(id(), trip.saga(), order);
    return inserted(run);
  }

  private CheckoutRun inserted(CheckoutRun run) {
    return transactions
        .<List<CheckoutRun>>write(c -> CheckoutRunWriter.insert(c, List.of(run), SETTINGS.lease()))
        .getFirst();
  }

  private static CheckoutId id() {
    return new CheckoutId(POOL, "%026d".formatted(COUNT.incrementAndGet()));
  }

  private CheckoutRun stored(CheckoutRun run) {
    return transactions
        .<Optional<CheckoutRun>>read(c -> CheckoutRunReader.find(c, run.id()))
        .orElseThrow();
  }

  private void takeOver(CheckoutRun run) {
    transactions.write(
        connection -> {
          try (var update =
              connection.prepareStatement(
                  "UPDATE checkout SET lease_no = lease_no + 1 WHERE checkout_id = ?")) {
            update.setString(1, run.id().toString());
            return update.executeUpdate();
          }
        });
  }
}
