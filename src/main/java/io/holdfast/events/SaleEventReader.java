package io.holdfast.events;

import io.holdfast.events.privacy.PersonalFieldWalker;
import io.holdfast.events.privacy.Redaction;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.Plans;
import io.holdfast.postgres.StatementRun;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Builds the data of sale events from the hold and its commitments. The stored event has no data
/// of its own: these rows never change, except that the requester is replaced by a shredding.
final class SaleEventReader {
  /// Reads one row for each sale, by index. A requester that looks like that of a shredding was
  /// shredded only if the logical key that the sale consumed is bound to another person.
  private static final String RECORDS =
      "SELECT "
          + Plans.BY_INDEX
          + """
          ;
          SELECT hold.*, sold.*,
                 (SELECT s.shredded_at FROM shredding s, consumed_request q
                   WHERE s.pseudonym = hold.requester
                     AND q.pool = hold.pool AND q.caller = hold.caller
                     AND q.logical_key
                         = ANY (ARRAY[hashed(sold.logical_key), sold.logical_key])
                     AND q.target = hold.hold_id
                     AND q.owner_binding <> hold.caller || E'\\t' || hold.requester
                     AND NOT EXISTS (
                         SELECT 1 FROM person_key k
                          WHERE k.person_hash = sha256(convert_to(
                                    hold.caller || E'\\t' || hold.requester, 'UTF8'))
                            AND k.secret IS NOT NULL AND k.pseudonym = q.owner_binding))
                 AS shredded_at
            FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS hold_id) AS given
            JOIN hold USING (pool, hold_id)
                 CROSS JOIN LATERAL (
                 SELECT array_agg(c.item) AS sold_items, array_agg(c.price_cents) AS prices,
                        min(c.currency) AS currency, min(c.order_id) AS order_id,
                        min(c.logical_key) AS logical_key
                   FROM commitment c
                  WHERE c.pool = hold.pool AND c.hold_id = hold.hold_id) sold
           WHERE sold.sold_items IS NOT NULL
          """;

  private static final String COMMITTED =
      """
      SELECT pool, hold_id
        FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS hold_id) AS given
       WHERE EXISTS (SELECT 1 FROM commitment c
                      WHERE c.pool = given.pool AND c.hold_id = given.hold_id)
      """;

  private SaleEventReader() {}

  /// Identifies one sold hold.
  record Subject(String pool, String holdId) {
    static Subject of(ResultSet row) throws SQLException {
      return new Subject(row.getString("pool"), row.getString("hold_id"));
    }
  }

  /// Returns the holds that have a commitment. The verification of sales reports the others.
  static Set<Subject> committed(Connection connection, List<Subject> subjects) throws SQLException {
    var committed = new HashSet<Subject>();
    if (subjects.isEmpty()) {
      return committed;
    }
    try (var run = StatementRun.of(connection, COMMITTED)) {
      run.rows(subjects, columns -> columns.text(Subject::pool).text(Subject::holdId))
          .execute()
          .take(row -> committed.add(Subject.of(row)));
    }
    return committed;
  }

  /// Returns the data of each event, with shredded requesters redacted.
  static Map<Subject, Map<String, @Nullable Object>> read(
      Connection connection, List<Subject> subjects) throws SQLException {
    var data = new HashMap<Subject, Map<String, @Nullable Object>>();
    if (subjects.isEmpty()) {
      return data;
    }
    try (var run = StatementRun.of(connection, RECORDS)) {
      run.rows(subjects, columns -> columns.text(Subject::pool).text(Subject::holdId))
          .execute()
          .skip() // the settings
          .take(row -> data.put(Subject.of(row), data(row)));
    }
    return data;
  }

  private static Map<String, @Nullable Object> data(ResultSet row) throws SQLException {
    var hold = HoldRows.record(row);
    var order = new HoldEvents.Order(row.getString("order_id"), row.getString("logical_key"));
    var event =
        HoldEvents.confirmed(
            new PoolName(row.getString("pool")),
            hold,
            items(hold, row),
            row.getObject("freed_quantity", Long.class),
            row.getString("currency"),
            order);
    var shreddedAt =
        row.getObject("shredded_at") == null ? null : ArrayBinder.moment(row, "shredded_at");
    var readable =
        PersonalFieldWalker.replace(
            event.data(), EventJson.PERSONAL, (part, _) -> valueOrRedaction(part, shreddedAt));
    return EventJson.read(EventJson.write(readable));
  }

  /// In the order of the hold's items.
  private static List<HoldEvents.Item> items(HoldRecord hold, ResultSet row) throws SQLException {
    var names = (String[]) row.getArray("sold_items").getArray();
    var cents = (Long[]) row.getArray("prices").getArray();
    var prices = new HashMap<ItemId, Long>();
    for (var i = 0; i < names.length; i++) {
      prices.put(new ItemId(names[i]), cents[i]);
    }
    var items = new ArrayList<HoldEvents.Item>();
    hold.items().forEach(item -> items.add(new HoldEvents.Item(item, prices.get(item))));
    return items;
  }

  private static @Nullable Object valueOrRedaction(Map<?, ?> part, @Nullable Instant shreddedAt) {
    var value = part.get(EventJson.VALUE);
    return shreddedAt == null ? value : Redaction.redacted(Redaction.typeOf(value), shreddedAt);
  }
}
