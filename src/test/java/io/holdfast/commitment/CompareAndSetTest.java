package io.holdfast.commitment;

import static io.holdfast.commitment.SalesFixture.ARENA;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.commitment.CommitOutcome.Confirmed;
import io.holdfast.commitment.sale.TestLedger;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The compare-and-set of an item, without what else prevents a second sale: the rules sell every
/// hold, and the trigger and the unique index are gone. Without it each writer would overwrite the
/// one before.
@ExtendWith(RealServers.class)
class CompareAndSetTest {
  private static final int WRITERS = 8;

  private final TestServers servers;
  private SalesFixture shop;

  CompareAndSetTest(TestServers servers) {
    this.servers = servers;
  }

  @BeforeEach
  void removeTheOtherSafeguards() throws Exception {
    shop = SalesFixture.open(servers);
    shop.rows().change("DROP INDEX IF EXISTS commitment_one_live_per_item");
    shop.rows().change("ALTER TABLE item DISABLE TRIGGER item_changes_by_the_rules");
  }

  @Requirement({"BR-C-1", "BR-X-4"})
  @Test
  void of_concurrent_writers_of_one_seat_one_writes_and_none_overwrites_it() {
    var holds = IntStream.range(0, WRITERS).mapToObj(_ -> shop.hold("A-1")).toList();

    try (var one = TestLedger.withoutValidator(servers.jdbcUrl());
        var other = TestLedger.withoutValidator(servers.jdbcUrl())) {
      var ends =
          Together.run(
              WRITERS, i -> (i % 2 == 0 ? one : other).confirm(shop.ask(holds.get(i)).confirm()));

      var winners =
          IntStream.range(0, WRITERS)
              .filter(i -> ends.get(i) instanceof Confirmed)
              .boxed()
              .toList();
      assertThat(winners).as(ends.toString()).hasSize(1);
      assertThat(shop.rows().texts("SELECT holder FROM item WHERE item = 'A-1'"))
          .containsExactly(holds.get(winners.getFirst()).id(ARENA).toString());
      assertThat(shop.count("commitment")).isOne();
      assertThat(shop.count("hold WHERE state = 'CONFIRMED'")).isOne();
    }
  }
}
