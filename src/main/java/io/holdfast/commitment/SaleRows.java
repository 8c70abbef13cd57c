package io.holdfast.commitment;

import io.holdfast.events.EventWriter;
import java.util.List;

/// All rows of a transaction of sales: of what is sold, and of what is refused.
final class SaleRows {
  private SaleRows() {}

  /// Items come before holds, and in one order, as for all who lock several.
  static SaleStatement into(SaleStatement closing, List<DecidedRequest> cases, String artifact) {
    var sales = cases.stream().flatMap(c -> c.sale(artifact)).toList();
    var moves = sales.stream().flatMap(Sale::moves).sorted(ItemUpdates.ORDER).toList();
    var withNonce = sales.stream().filter(sale -> sale.request().nonce() != null).toList();
    var spent = cases.stream().flatMap(DecidedRequest::spent).toList();
    return closing
        .take(moves)
        .add(
            HoldUpsert.UPSERT,
            cases.stream().flatMap(DecidedRequest::holdWrite).toList(),
            HoldUpsert::bind)
        .addNew(Sale.CONSUME, sales, Sale::bindConsumed, sales.size())
        .add(Sale.USE_NONCE, withNonce, Sale::bindNonces)
        .addNew(Sale.COMMIT_ITEMS, sales, Sale::bindItems, moves.size())
        .addNew(TokenTable.UPSERT, spent, TokenTable::bind, spent.size())
        .add(Sale.TELL_REDIS, sales, Sale::bindHold)
        .add(EventWriter.SOLD, sales, Sale::bindHold)
        .add(
            AttemptLog.INSERT,
            cases.stream().map(DecidedRequest::tried).toList(),
            AttemptLog::bind);
  }
}
