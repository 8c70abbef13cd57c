package io.holdfast.seeding;

import io.holdfast.commitment.ItemStateQuery;
import io.holdfast.commitment.ItemStateQuery.Entry;
import io.holdfast.commitment.SoldToRequesters;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.journal.store.TokenEntry;
import io.holdfast.journal.store.TokenRows;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// Loads an epoch that is being seeded with the pool's data from Postgres: the catalogue, live
/// holds, and tokens within their window. It works in chunks that do not block other calls. Data
/// that survived in Redis is corrected, not dropped.
@Singleton
final class PoolLoader {
  private static final int CHUNK = 500;

  /// Holds have several items each.
  private static final int HOLDS_PER_CHUNK = 100;

  private final PoolScripts scripts;
  private final ItemStateQuery states;
  private final HoldRows holds;
  private final TokenRows tokens;
  private final SoldToRequesters sold;

  PoolLoader(
      PoolScripts scripts,
      ItemStateQuery states,
      HoldRows holds,
      TokenRows tokens,
      SoldToRequesters sold) {
    this.scripts = scripts;
    this.states = states;
    this.holds = holds;
    this.tokens = tokens;
    this.sold = sold;
  }

  /// @param lost holds that were not restored, because a newer hold has their items
  record Loaded(int survived, int restored, int lost) {}

  Loaded load(Pool seeded, Epoch epoch) {
    var pool = seeded.name();
    loadItems(pool, epoch);
    var survivors = survivors(pool, epoch);
    recount(pool, epoch, survivors);
    var loaded = restoreHolds(pool, epoch, survivors.size());
    if (seeded.policy().maxItemsPerRequester() != null) {
      loadSold(pool, epoch);
    }
    restoreTokens(pool, epoch);
    return loaded;
  }

  private void loadItems(PoolName pool, Epoch epoch) {
    for (var after = ItemStateQuery.BEFORE_FIRST; ; ) {
      var page = states.page(pool, after, CHUNK);
      if (page.isEmpty()) {
        return;
      }
      scripts.load(pool, epoch, ItemEntries.of(page.stream().map(Entry::state).toList()));
      after = page.getLast().ordinal();
    }
  }

  /// After the holds: a checkout may sell a hold during the seeding, and it counts once, by its
  /// fence.
  private void loadSold(PoolName pool, Epoch epoch) {
    var sales = sold.of(pool);
    for (var start = 0; start < sales.size(); start += CHUNK) {
      var arguments = new ArrayList<String>();
      for (var sale : sales.subList(start, Math.min(sales.size(), start + CHUNK))) {
        arguments.add(sale.caller());
        arguments.add(sale.requester());
        arguments.add(Long.toString(sale.fence()));
        arguments.add(Long.toString(sale.live()));
      }
      scripts.owned(pool, epoch, arguments);
    }
  }

  /// No hold is placed or ended during a seeding, so positions in the list do not change. Higher
  /// fences come first: of two lapsed holds of one item the newer one keeps it.
  private List<Fence> survivors(PoolName pool, Epoch epoch) {
    var found = new ArrayList<Fence>();
    while (true) {
      var to = found.size() + CHUNK - 1;
      var part = scripts.survivors(pool, epoch, found.size(), to);
      found.addAll(part);
      if (part.size() < CHUNK) {
        found.sort(Comparator.reverseOrder());
        return found;
      }
    }
  }

  /// A replica that was behind may contain ended holds. They are removed before holds are restored.
  private void recount(PoolName pool, Epoch epoch, List<Fence> survivors) {
    for (var start = 0; start < survivors.size(); start += HOLDS_PER_CHUNK) {
      var chunk = survivors.subList(start, Math.min(survivors.size(), start + HOLDS_PER_CHUNK));
      var states = holds.states(pool, chunk);
      var verdicts = new ArrayList<String>(2 * chunk.size());
      for (var fence : chunk) {
        var isLive = states.getOrDefault(fence, HoldState.HELD) == HoldState.HELD;
        verdicts.add(fence.toString());
        verdicts.add(isLive ? "KEEP" : "DROP");
      }
      scripts.recount(pool, epoch, verdicts);
    }
  }

  private Loaded restoreHolds(PoolName pool, Epoch epoch, int survived) {
    var restored = 0;
    var lost = 0;
    for (var below = Long.MAX_VALUE; ; ) {
      var chunk = holds.live(pool, below, HOLDS_PER_CHUNK);
      if (chunk.isEmpty()) {
        return new Loaded(survived, restored, lost);
      }
      var records = chunk.stream().map(HoldRecord::format).toList();
      var part = scripts.restore(pool, epoch, records);
      restored += part.restored();
      lost += part.lost();
      below = chunk.getLast().fence().value();
    }
  }

  private void restoreTokens(PoolName pool, Epoch epoch) {
    for (var after = TokenRows.Key.FIRST; ; ) {
      var chunk = tokens.inWindow(pool, after, CHUNK);
      if (chunk.isEmpty()) {
        return;
      }
      var entries =
          chunk.stream()
              .flatMap(e -> Stream.of(e.caller(), e.token(), value(e), until(e)))
              .toList();
      scripts.restoreTokens(pool, epoch, entries);
      after = new TokenRows.Key(chunk.getLast().caller(), chunk.getLast().token());
    }
  }

  private static String value(TokenEntry entry) {
    return entry.action().word() + "\t" + entry.digest() + "\t" + entry.outcome();
  }

  private static String until(TokenEntry entry) {
    return Long.toString(entry.windowUntil().toEpochMilli());
  }
}
