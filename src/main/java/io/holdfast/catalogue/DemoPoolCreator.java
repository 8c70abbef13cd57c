package io.holdfast.catalogue;

import io.holdfast.config.Settings;
import io.holdfast.pool.CatalogueItem;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.PoolPolicy;
import io.holdfast.runtime.StartupTask;
import io.micronaut.core.annotation.Order;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;

/// Creates the demo pool: an arena of three sections of five rows with ten seats each, in arcs
/// around a stage. It is created at the first start in demo mode.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS - 2)
final class DemoPoolCreator implements StartupTask {
  private static final PoolName NAME = new PoolName("arena");
  private static final List<String> SECTIONS = List.of("A", "B", "C");
  private static final List<Long> PRICES = List.of(5_000L, 3_500L, 2_000L);
  private static final int ROWS = 5;
  private static final int SEATS_PER_ROW = 10;

  /// The angle of the middle of each section, seen from the stage. Aisles lie in between.
  private static final List<Integer> DEGREES = List.of(0, -45, 45);

  private static final double DEGREES_PER_SEAT = 4;
  private static final double FIRST_ROW = 200;
  private static final double ROW_SPACING = 16;

  private final Settings settings;
  private final Catalogue catalogue;

  DemoPoolCreator(Settings settings, Catalogue catalogue) {
    this.settings = settings;
    this.catalogue = catalogue;
  }

  @Override
  public void atStart() {
    if (settings.flag("holdfast.demo", false)) {
      var items = items();
      var policy = PoolPolicy.of(PoolKind.SEATS);
      catalogue.create(
          Pool.fresh(NAME, PoolKind.SEATS, policy, items.size(), null, null), items, "demo");
    }
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
