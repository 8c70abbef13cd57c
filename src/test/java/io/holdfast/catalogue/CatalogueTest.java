package io.holdfast.catalogue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.app.Service;
import io.holdfast.catalogue.CreateOutcome.Created;
import io.holdfast.catalogue.CreateOutcome.Different;
import io.holdfast.catalogue.CreateOutcome.Same;
import io.holdfast.pool.CatalogueItem;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.PoolPolicy;
import io.holdfast.postgres.TestSchema;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(RealServers.class)
class CatalogueTest {
  private static final PoolName ARENA = new PoolName("arena");
  private static final PoolPolicy POLICY =
      PoolPolicy.of(
          PoolKind.SEATS, new PoolPolicy.Overrides(60L, 120L, 20L, 3, 2, 30L, "CHF", true, true));

  private static Service service;
  private static Catalogue catalogue;

  private final TestSchema schema;

  CatalogueTest(TestServers servers) {
    schema = new TestSchema(servers);
  }

  @BeforeAll
  static void start(TestServers servers) {
    service = RealServers.start(servers, Map.of());
    catalogue = service.context().getBean(Catalogue.class);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @BeforeEach
  void clear() throws SQLException {
    schema.clear("item", "stock", "pool");
  }

  @Test
  void a_pool_is_read_back_as_it_was_created_at_epoch_one() throws SQLException {
    var items = seats(3);

    assertThat(create(arena(3), items)).isEqualTo(new Created());

    assertThat(catalogue.find(ARENA)).contains(arena(3));
    assertThat(arena(3).epoch()).isEqualTo(new Epoch(1));
    assertThat(catalogue.items(ARENA, 0, 10)).isEqualTo(items);
    assertThat(catalogue.page("", 2)).extracting(Pool::name).containsExactly(ARENA);
    assertThat(schema.texts("SELECT created_by FROM pool")).containsExactly("shop");
  }

  @Test
  void a_stock_has_a_capacity_and_a_pool_without_wishes_the_policy_of_its_kind()
      throws SQLException {
    var stock = Pool.fresh(ARENA, PoolKind.STOCK, PoolPolicy.of(PoolKind.STOCK), 0, 1_000L, 2_500L);
    create(stock, List.of());
    schema.execute("INSERT INTO pool (pool, kind, epoch) VALUES ('bare', 'UNIQUE', 1)");

    assertThat(catalogue.find(ARENA)).contains(stock);
    assertThat(catalogue.find(new PoolName("bare")).orElseThrow().policy())
        .isEqualTo(PoolPolicy.of(PoolKind.UNIQUE));
  }

  @Test
  void a_hundred_thousand_items_are_taken_and_come_back_in_chunks() {
    var items = seats(100_000);
    create(arena(items.size()), items);

    var found = new ArrayList<CatalogueItem>();
    List<CatalogueItem> chunk;
    while (!(chunk = catalogue.items(ARENA, found.size(), 20_000)).isEmpty()) {
      found.addAll(chunk);
    }

    assertThat(found.equals(items)).isTrue();
    assertThat(create(arena(items.size()), items)).isEqualTo(new Same(arena(items.size())));
  }

  @Test
  void the_same_pool_is_distinguished_from_another_one_of_its_name() throws SQLException {
    var items = seats(5);
    create(arena(5), items);
    schema.execute("UPDATE pool SET epoch = 9");
    var turned = new ArrayList<>(items);
    Collections.swap(turned, 1, 2);
    var dearer = new ArrayList<>(items);
    dearer.set(4, seat(5, 9_999));
    var fewer = items.subList(0, 4);
    var plain = Pool.fresh(ARENA, PoolKind.SEATS, PoolPolicy.of(PoolKind.SEATS), 5, null, null);

    assertThat(create(arena(5), items))
        .isInstanceOfSatisfying(
            Same.class, same -> assertThat(same.present().epoch().value()).isEqualTo(9));
    assertThat(create(arena(5), turned)).isEqualTo(new Different());
    assertThat(create(arena(5), dearer)).isEqualTo(new Different());
    assertThat(create(arena(4), fewer)).isEqualTo(new Different());
    assertThat(create(plain, items)).isEqualTo(new Different());
    assertThat(catalogue.items(ARENA, 0, 10)).isEqualTo(items);
  }

  @Test
  void of_concurrent_creations_of_one_pool_one_succeeds_and_the_others_find_it() {
    var items = seats(2_000);

    var outcomes =
        IntStream.range(0, 4)
            .mapToObj(_ -> CompletableFuture.supplyAsync(() -> create(arena(items.size()), items)))
            .toList();

    var same = new Same(arena(items.size()));
    assertThat(outcomes.stream().map(CompletableFuture::join))
        .containsExactlyInAnyOrder(new Created(), same, same, same);
  }

  @Test
  void pools_come_in_pages() {
    for (var name : List.of("c", "a", "b")) {
      var pool =
          Pool.fresh(
              new PoolName(name), PoolKind.UNIQUE, PoolPolicy.of(PoolKind.UNIQUE), 0, null, null);
      create(pool, List.of());
    }

    assertThat(catalogue.page("", 2)).extracting(p -> p.name().value()).containsExactly("a", "b");
    assertThat(catalogue.page("b", 2)).extracting(p -> p.name().value()).containsExactly("c");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DELETE FROM item",
        "TRUNCATE item CASCADE",
        "UPDATE item SET item = 'B-1'",
        "UPDATE item SET pool = 'other'"
      })
  void an_item_is_for_ever(String sql) {
    create(arena(1), seats(1));

    assertThatThrownBy(() -> schema.execute(sql))
        .hasMessageContaining("an item cannot be deleted or renamed");
  }

  private CreateOutcome create(Pool pool, List<CatalogueItem> items) {
    return catalogue.create(pool, items, "shop");
  }

  private static Pool arena(int items) {
    return Pool.fresh(ARENA, PoolKind.SEATS, POLICY, items, null, null);
  }

  private static List<CatalogueItem> seats(int count) {
    return IntStream.rangeClosed(1, count).mapToObj(n -> seat(n, 5_000 + n)).toList();
  }

  private static CatalogueItem seat(int n, long price) {
    return n % 3 == 0
        ? new CatalogueItem(new ItemId("é-" + n), null, null, null, null, null, price)
        : new CatalogueItem(new ItemId("A-" + n), "A", "1", n, n * 0.1, -2.0, price);
  }
}
