package io.holdfast.seeding;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.catalogue.Catalogue;
import io.holdfast.commitment.ItemStateQuery;
import io.holdfast.commitment.SoldToRequesters;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.journal.store.TokenRows;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.redis.RedisConnections;
import io.holdfast.redis.RedisScripts;
import io.holdfast.redis.Script;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.TaskControl;
import io.holdfast.testing.Api;
import io.holdfast.testing.Api.Hold;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Changes and sales that are committed while a pool is loaded into Redis count in the new epoch.
@ExtendWith(RealServers.class)
class ChangeDuringSeedingTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /// As a checkout sells what it has claimed: in Postgres only.
  private static final String SALE =
      """
      WITH sold AS (
          UPDATE item SET status = 'SOLD', fence = h.fence, holder = h.hold_id
            FROM hold h
           WHERE h.hold_id = ? AND item.pool = h.pool AND item.item = ANY (h.items)
          RETURNING item.pool, item.item, item.price_cents),
      ended AS (
          UPDATE hold SET state = 'CONFIRMED', ended_at = date_trunc('milliseconds', now())
           WHERE hold_id = ?
          RETURNING *)
      INSERT INTO commitment (pool, item, hold_id, fence, caller, requester, order_id, logical_key,
                              price_cents, currency, committed_at)
      SELECT pool, item, hold_id, fence, caller, requester, 'order', hold_id, price_cents, 'EUR',
             ended_at
        FROM sold JOIN ended USING (pool)
      """;

  private static TestServers servers;
  private static Service service;
  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers given, Service started) {
    servers = given;
    service = started;
    api = Api.of(started);
    rows = Rows.of(given);
    // the sweeper would notice the loss and have the pools seeded, which the tests do
    TaskControl.pause(bean(PeriodicTasks.class), "expiry-sweep");
  }

  /// The seeder has read the row before the change, and Redis, where the pool is lost, cannot be
  /// told of it.
  @Test
  @Requirement("AU-11")
  void rules_that_change_before_a_seeding_begins_are_in_force_after_it() {
    var pool = api.pool(2);
    var read = row(pool);
    lose(pool);
    close(pool);
    var epoch = seed(read);

    var isOpen = bean(EpochOpener.class).open(read, epoch, "TEST");

    assertThat(isOpen).isTrue();
    assertClosed(pool);
  }

  @Test
  @Requirement("AU-11")
  void rules_that_change_while_a_pool_is_loaded_are_in_force_after_it() {
    var pool = api.pool(2);
    var read = row(pool);
    var epoch = seed(read);
    close(pool);
    bean(PoolLoader.class).load(read, epoch);

    var isOpen = bean(PoolScripts.class).open(read.name(), epoch);

    assertThat(isOpen).isTrue();
    assertClosed(pool);
  }

  @Test
  @Requirement("AU-12")
  void a_claimed_hold_that_is_sold_while_its_pool_is_loaded_counts_for_its_requester() {
    var pool = api.pool(2, "{\"maxItemsPerRequester\":1}");
    var hold = api.hold(pool, "ann", "A-1");
    Await.until(PATIENCE, () -> rows.stateOf(hold).equals("HELD"));
    servers.forgetHolds();
    var read = row(pool);
    var scripts = new SellingScripts(bean(RedisConnections.class), hold);
    var loader =
        new PoolLoader(
            new PoolScripts(scripts),
            bean(ItemStateQuery.class),
            bean(HoldRows.class),
            bean(TokenRows.class),
            bean(SoldToRequesters.class));
    var epoch = seed(read);

    var loaded = loader.load(read, epoch);
    assertThat(bean(PoolScripts.class).open(read.name(), epoch)).isTrue();

    assertThat(scripts.sold).isEqualTo(1);
    assertThat(loaded.restored()).as("it is no hold any more").isZero();
    var more = api.place(pool, Api.token(), "ann", "A-2");
    assertThat(more.statusCode() + Api.code(more)).as(more.body()).isEqualTo("429hold-limit");
  }

  /// Sells a hold before the holds of its pool are loaded.
  private static final class SellingScripts extends RedisScripts {
    private final Hold hold;
    private int sold;

    SellingScripts(RedisConnections redis, Hold hold) {
      super(redis);
      this.hold = hold;
    }

    @Override
    public CompletionStage<List<String>> call(Script script, String[] keys, String... others) {
      if (script.name().equals("pool/survivors") && sold == 0) {
        sold = rows.change(SALE, hold.id(), hold.id());
      }
      return super.call(script, keys, others);
    }
  }

  private static Pool row(String pool) {
    return bean(Catalogue.class).find(new PoolName(pool)).orElseThrow();
  }

  private static Epoch seed(Pool read) {
    var epoch = bean(EpochCounter.class).next(read.name()).orElseThrow();
    var begun = bean(PoolScripts.class).seed(read, epoch, 0, "TEST", false);
    assertThat(begun).isInstanceOf(PoolScripts.Seed.Begun.class);
    return epoch;
  }

  private static void lose(String pool) {
    var struck = servers.redis(redis -> redis.del("{p:%s}:meta".formatted(pool)));
    assertThat(struck).isEqualTo(1);
  }

  private static void close(String pool) {
    var closed = api.patch("/v1/pools/" + pool, Api.token(), "{\"closed\":true}");
    assertThat(closed.statusCode()).as(closed.body()).isEqualTo(200);
  }

  private static void assertClosed(String pool) {
    var refused = api.place(pool, Api.token(), "ann", "A-1");
    assertThat(refused.statusCode() + Api.code(refused))
        .as(refused.body())
        .isEqualTo("409sales-closed");
  }

  private static <T> T bean(Class<T> type) {
    return service.context().getBean(type);
  }
}
