package io.holdfast.catalogue;

import io.holdfast.config.Settings;
import io.holdfast.pool.AuctionTerms;
import io.holdfast.pool.CatalogueItem;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.PoolPolicy;
import io.holdfast.postgres.PostgresClock;
import io.holdfast.runtime.StartupTask;
import io.micronaut.core.annotation.Order;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Creates the demo pools, one of each kind: an arena of three sections of five rows with ten seats
/// each, in arcs around a stage; a lawn with general admission; user names; and a lot that is
/// auctioned for a day from the first start. Each start in demo mode creates those that are
/// missing.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS - 2)
final class DemoPoolCreator implements StartupTask {
  private static final PoolName ARENA = new PoolName("arena");
  private static final PoolName LAWN = new PoolName("lawn");
  private static final PoolName USER_NAMES = new PoolName("username");
  private static final List<String> SECTIONS = List.of("A", "B", "C");
  private static final List<Long> PRICES = List.of(5_000L, 3_500L, 2_000L);
  private static final int ROWS = 5;
  private static final int SEATS_PER_ROW = 10;

  /// The angle of the middle of each section, seen from the stage. Aisles lie in between.
  private static final List<Integer> DEGREES = List.of(0, -45, 45);

  private static final double DEGREES_PER_SEAT = 4;
  private static final double FIRST_ROW = 200;
  private static final double ROW_SPACING = 16;

  private static final PoolName LOT = new PoolName("lot");
  private static final Duration LOT_OPEN = Duration.ofDays(1);
  private static final long LOT_RESERVE = 10_000;

  private static final long LAWN_CAPACITY = 500;
  private static final long LAWN_PRICE = 1_500;

  private final Settings settings;
  private final Catalogue catalogue;
  private final PostgresClock clock;

  DemoPoolCreator(Settings settings, Catalogue catalogue, PostgresClock clock) {
    this.settings = settings;
    this.catalogue = catalogue;
    this.clock = clock;
  }

  @Override
  public void atStart() {
    if (settings.flag("holdfast.demo", false)) {
      create(ARENA, PoolKind.SEATS, items(), null, null);
      create(LAWN, PoolKind.STOCK, List.of(), LAWN_CAPACITY, LAWN_PRICE);
      create(USER_NAMES, PoolKind.UNIQUE, List.of(), null, null);
      createLot();
    }
  }

  /// Changes nothing if there is a pool of this name, whatever its content.
  private void create(
      PoolName name,
      PoolKind kind,
      List<CatalogueItem> items,
      @Nullable Long capacity,
      @Nullable Long priceCents) {
    var policy = PoolPolicy.of(kind);
    catalogue.create(
        Pool.fresh(name, kind, policy, items.size(), capacity, priceCents), items, "demo");
  }

  private void createLot() {
    var terms = new AuctionTerms(clock.now().plus(LOT_OPEN), LOT_RESERVE);
    var policy = PoolPolicy.of(PoolKind.AUCTION);
    catalogue.create(Pool.freshAuction(LOT, policy, terms), List.of(CatalogueItem.LOT), "demo");
  }

  private static List<CatalogueItem> items() {
    var items = new ArrayList<CatalogueItem>();
    for (var section = 0; section < SECTIONS.size(); section++) {
      for (var seat = 0; seat < ROWS * SEATS_PER_ROW; seat++) {
        items.add(item(section, seat));
      }
    }
    return items;
  }

  private static CatalogueItem item(int section, int seat) {
    var row = seat / SEATS_PER_ROW;
    var place = seat % SEATS_PER_ROW;
    var name = SECTIONS.get(section);
    var degrees = DEGREES.get(section) + DEGREES_PER_SEAT * (place - (SEATS_PER_ROW - 1) / 2.0);
    var distance = FIRST_ROW + ROW_SPACING * row;
    return new CatalogueItem(
        new ItemId(name + "-" + (seat + 1)),
        name,
        Integer.toString(row + 1),
        place + 1,
        rounded(distance * Math.sin(Math.toRadians(degrees))),
        rounded(distance * Math.cos(Math.toRadians(degrees))),
        PRICES.get(section));
  }

  private static double rounded(double coordinate) {
    return Math.round(coordinate * 10) / 10.0;
  }
}
