package io.holdfast.hold;

import io.holdfast.AtStart;
import io.holdfast.Settings;
import io.holdfast.pool.CatalogueItem;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.Policy;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Catalogue;
import io.micronaut.core.annotation.Order;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;

/// A small arena to try things on, in demo mode: three sections of five rows with ten seats each.
/// It is created once and then left alone, as every pool is.
@Singleton
@Order(Sweeper.AFTER_MIGRATIONS - 2)
final class DemoArena implements AtStart {
  private static final PoolName NAME = new PoolName("arena");
  private static final List<String> SECTIONS = List.of("A", "B", "C");
  private static final List<Long> PRICES = List.of(5_000L, 3_500L, 2_000L);
  private static final int ROWS = 5;
  private static final int SEATS_A_ROW = 10;
  private static final int SPACE = 10;

  private final Settings settings;
  private final Catalogue catalogue;

  DemoArena(Settings settings, Catalogue catalogue) {
    this.settings = settings;
    this.catalogue = catalogue;
  }

  @Override
  public void atStart() {
    if (settings.flag("holdfast.demo", false)) {
      var items = items();
      var policy = Policy.of(PoolKind.SEATS);
      catalogue.create(Pool.fresh(NAME, PoolKind.SEATS, policy, items.size(), null), items, "demo");
    }
  }

  private static List<CatalogueItem> items() {
    var items = new ArrayList<CatalogueItem>();
    for (var section = 0; section < SECTIONS.size(); section++) {
      for (var seat = 0; seat < ROWS * SEATS_A_ROW; seat++) {
        items.add(item(section, seat));
      }
    }
    return items;
  }

  /// Sections stand side by side, with an aisle between them.
  private static CatalogueItem item(int section, int seat) {
    var row = seat / SEATS_A_ROW;
    var place = seat % SEATS_A_ROW;
    var name = SECTIONS.get(section);
    return new CatalogueItem(
        new ItemId(name + "-" + (seat + 1)),
        name,
        Integer.toString(row + 1),
        place + 1,
        (double) SPACE * (1 + place + section * (SEATS_A_ROW + 1)),
        (double) SPACE * (1 + row),
        PRICES.get(section));
  }
}
