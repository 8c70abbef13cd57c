package io.holdfast.commitment;

import io.holdfast.events.EventLog;
import java.util.List;

/// All rows of a transaction of sales: of what is sold, and of what is refused.
final class SaleRows {
  private SaleRows() {}

  /// Items come before holds, and in one order, as for all who lock several.
  static Closing into(Closing closing, List<Case> cases, String artifact) {
    var sales = cases.stream().flatMap(c -> c.sale(artifact)).toList();
    var moves = sales.stream().flatMap(Sale::moves).sorted(Items.ORDER).toList();
    var withNonce = sales.stream().filter(sale -> sale.request().nonce() != null).toList();
    var spent = cases.stream().flatMap(Case::spent).toList();
    return closing
        .take(moves)
        .add(HoldWrite.UPSERT, cases.stream().flatMap(Case::holdWrite).toList(), HoldWrite::bind)
        .addNew(Sale.CONSUME, sales, Sale::bindConsumed, sales.size())
        .add(Sale.USE_NONCE, withNonce, Sale::bindNonces)
        .addNew(Sale.COMMIT_ITEMS, sales, Sale::bindItems, moves.size())
        .addNew(TokenResults.UPSERT, spent, TokenResults::bind, spent.size())
        .add(Sale.TELL_REDIS, sales, Sale::bindHold)
        .add(EventLog.SOLD, sales, Sale::bindHold)
        .add(Attempts.INSERT, cases.stream().map(Case::tried).toList(), Attempts::bind);
  }
}
