package io.holdfast.commitment;

import static io.holdfast.commitment.SalesFixture.ARENA;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.commitment.CommitOutcome.Confirmed;
import io.holdfast.commitment.CommitOutcome.NotDecided;
import io.holdfast.commitment.CommitOutcome.Refused;
import io.holdfast.commitment.CommitOutcome.Running;
import io.holdfast.commitment.sale.TestLedger;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.OutcomeCodec;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Sales that share a transaction have the same results as sales in separate ones.
@ExtendWith(RealServers.class)
class GroupCommitTest {
  private final TestServers servers;
  private SalesFixture shop;
  private TestLedger ledger;

  GroupCommitTest(TestServers servers) {
    this.servers = servers;
  }

  @BeforeEach
  void open() throws Exception {
    shop = SalesFixture.open(servers);
    ledger = TestLedger.on(servers.jdbcUrl());
  }

  @AfterEach
  void close() {
    ledger.close();
  }

  @Test
  void concurrent_sales_of_different_seats_all_succeed() {
    var holds = IntStream.rangeClosed(1, 100).mapToObj(i -> shop.hold("A-" + i)).toList();

    var ends = all(holds.stream().map(hold -> shop.ask(hold).confirm()).toList());

    assertThat(ends).allMatch(e -> e instanceof Confirmed(_, var items, _, _) && items.size() == 1);
    assertThat(shop.count("commitment")).isEqualTo(100);
    assertThat(shop.count("verification WHERE passed")).isEqualTo(100);
    assertThat(shop.count("outbox")).isEqualTo(100);
  }

  @Requirement({"BR-K-4", "RS-S4"})
  @Test
  void concurrent_requests_under_one_token_are_one_sale() {
    var request = shop.ask(shop.hold("A-1")).confirm();

    var ends = all(IntStream.range(0, 50).mapToObj(_ -> request).toList());

    assertThat(ends).allMatch(Confirmed.class::isInstance);
    assertThat(ends).filteredOn(e -> !((Confirmed) e).isReplay()).hasSize(1);
    assertThat(shop.count("commitment")).isOne();
    assertThat(shop.count("attempt")).isOne();
    assertThat(ledger.operations().byToken(ARENA, "shop", request.token()).orElseThrow().attempts())
        .isEqualTo(50);
  }

  @Requirement({"BR-F-2", "BR-F-4", "BR-C-1"})
  @Test
  void of_concurrent_sales_of_one_seat_one_succeeds() {
    var holds = IntStream.range(0, 50).mapToObj(_ -> shop.hold("A-1")).toList();

    var ends = all(holds.stream().map(hold -> shop.ask(hold).confirm()).toList());

    assertThat(ends).filteredOn(Confirmed.class::isInstance).hasSize(1);
    assertThat(ends).allMatch(e -> e instanceof Confirmed || e instanceof Refused);
    assertThat(shop.count("commitment")).isOne();
  }

  @Test
  void a_row_that_cannot_be_written_fails_alone() {
    shop.rows()
        .change("ALTER TABLE commitment ADD CONSTRAINT no_poison CHECK (order_id <> 'poison')");
    try {
      var requests = new ArrayList<ConfirmRequest>();
      for (var i = 1; i <= 20; i++) {
        var ask = shop.ask(shop.hold("A-" + i));
        requests.add((i == 7 ? ask.order("poison") : ask).confirm());
      }

      var ends = all(requests);

      assertThat(ends.get(6)).isInstanceOf(NotDecided.class);
      assertThat(ends).filteredOn(Confirmed.class::isInstance).hasSize(19);
      assertThat(shop.count("attempt WHERE outcome = 'ROLLED_BACK'")).isOne();
      assertThat(shop.rows().texts("SELECT status FROM item WHERE item = 'A-7'"))
          .containsExactly("FREE");
    } finally {
      shop.rows().change("ALTER TABLE commitment DROP CONSTRAINT no_poison");
    }
  }

  @Test
  void a_sale_that_waits_too_long_for_a_lock_is_running_and_the_others_do_not_wait()
      throws Exception {
    var stuck = shop.hold("A-1");
    try (var connection = servers.connection()) {
      connection.setAutoCommit(false);
      connection.createStatement().execute("SELECT 1 FROM item WHERE item = 'A-1' FOR UPDATE");

      var requests = List.of(stuck, shop.hold("A-2"), shop.hold("A-3"));
      var ends = all(requests.stream().map(hold -> shop.ask(hold).confirm()).toList());

      assertThat(ends.get(0)).isEqualTo(new Running());
      assertThat(ends.subList(1, 3)).allMatch(Confirmed.class::isInstance);
      connection.rollback();
    }
    assertThat(ledger.confirm(shop.ask(stuck).confirm())).isInstanceOf(Confirmed.class);
  }

  @Test
  void requests_beyond_the_queue_limit_are_refused_at_once() throws Exception {
    var settings = new CommitSettings(1, 1, 2, Duration.ofSeconds(4));
    try (var small = TestLedger.on(servers.jdbcUrl(), settings);
        var connection = servers.connection()) {
      connection.setAutoCommit(false);
      connection.createStatement().execute("LOCK TABLE item");
      var holds = IntStream.range(0, 5).mapToObj(i -> shop.hold("A-" + (i + 1))).toList();
      var stages =
          holds.stream().map(hold -> small.ledger().confirm(shop.ask(hold).confirm())).toList();

      assertThat(stages.subList(2, 5))
          .allMatch(stage -> stage.toCompletableFuture().isDone())
          .allMatch(stage -> stage.toCompletableFuture().join() instanceof NotDecided);
      connection.rollback();
      assertThat(stages.subList(0, 2))
          .allMatch(stage -> stage.toCompletableFuture().join() instanceof Confirmed);
    }
  }

  /// Two instances sell overlapping holds of the same seats, and every request is sent up to three
  /// times. There is no deadlock, nothing is sold twice, and equal requests get equal answers.
  @Requirement({"BR-C-4", "BR-K-4", "BR-F-5"})
  @Test
  void two_instances_sell_overlapping_holds_without_a_deadlock() {
    var random = new Random(Long.getLong("holdfast.test.seed", 20_261_116L));
    var holds = new ArrayList<HoldRecord>();
    for (var i = 0; i < 400; i++) {
      var seats =
          random.ints(1, 41).distinct().limit(1 + random.nextInt(4)).mapToObj(n -> "A-" + n);
      holds.add(shop.hold(seats.toArray(String[]::new)));
    }
    try (var other = TestLedger.on(servers.jdbcUrl(), 8)) {
      var ends =
          Together.run(
              16,
              worker -> {
                var stages = new ArrayList<CompletionStage<CommitOutcome>>();
                for (var i = worker / 2; i < holds.size(); i += 8) {
                  var on = worker % 2 == 0 ? ledger : other;
                  stages.add(on.ledger().confirm(shop.ask(holds.get(i)).confirm()));
                }
                return stages.stream().map(s -> s.toCompletableFuture().join()).toList();
              });

      for (var i = 0; i < 16; i += 2) {
        for (var n = 0; n < ends.get(i).size(); n++) {
          assertThat(text(ends.get(i).get(n))).isEqualTo(text(ends.get(i + 1).get(n)));
        }
      }
    }
    assertThat(shop.count("attempt WHERE outcome = 'ROLLED_BACK'")).isZero();
    assertThat(shop.count("item i WHERE status = 'SOLD' AND version <> 1")).isZero();
    assertThat(
            shop.count(
                """
                hold h WHERE state = 'CONFIRMED'
                   AND cardinality(items) <> (SELECT count(*) FROM commitment c
                                               WHERE c.hold_id = h.hold_id AND c.fence = h.fence)
                """))
        .isZero();
    assertThat(shop.count("item WHERE status = 'SOLD'")).isEqualTo(shop.count("commitment"));
  }

  private static String text(CommitOutcome outcome) {
    return switch (outcome) {
      case Confirmed(var hold, _, _, _) -> hold.format();
      case Refused(var refusal, _) -> OutcomeCodec.format(refusal);
      default -> throw new AssertionError(outcome.toString());
    };
  }

  private List<CommitOutcome> all(List<ConfirmRequest> requests) {
    var stages = requests.stream().map(ledger.ledger()::confirm).toList();
    return stages.stream().map(stage -> stage.toCompletableFuture().join()).toList();
  }
}
