package io.holdfast.checkout;

import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.CheckoutRun.Phase;
import io.holdfast.checkout.saga.CheckoutRun.StepState;
import io.holdfast.checkout.saga.TurnStore;
import io.holdfast.events.Event;
import io.holdfast.events.EventType;
import io.holdfast.events.EventWriter;
import io.holdfast.pool.HoldId;
import io.holdfast.postgres.StatementRun;
import io.holdfast.subject.DataSubject;
import io.holdfast.web.Metadata;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Writes the event of a checkout that has ended, in the transaction of its end.
@Singleton
final class CheckoutEvents implements TurnStore.EndListener {
  private static final List<String> CHECKOUT =
      List.of(
          "checkoutId",
          "holdId",
          "pool",
          "state",
          "fence",
          "caller",
          "requester",
          "metadata",
          "orderId",
          "commitmentId",
          "startedAt");

  private static final String ITEMS =
      """
      SELECT given.hold_id, i.item, i.price_cents
        FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS hold_id,
                     unnest(?::bigint[]) AS fence) AS given
             JOIN hold h USING (pool, hold_id, fence)
             CROSS JOIN LATERAL unnest(h.items) AS held (item)
             JOIN item i ON i.pool = h.pool AND i.item = held.item
       ORDER BY given.hold_id, i.item
      """;

  private final EventWriter log;

  CheckoutEvents(EventWriter log) {
    this.log = log;
  }

  @Override
  public void ended(Connection connection, List<CheckoutRun> runs) throws SQLException {
    var items = items(connection, runs.stream().map(CheckoutRun::soldHold).toList());
    var events =
        runs.stream()
            .map(run -> event(run, items.getOrDefault(run.soldHold(), List.of())))
            .toList();
    log.append(connection, events);
  }

  private static Event event(CheckoutRun run, List<Map<String, @Nullable Object>> items) {
    var order = run.order();
    var data = new LinkedHashMap<String, @Nullable Object>();
    var person = new DataSubject(order.caller(), order.requester());
    data.put(
        "checkout",
        Event.embedEntity(checkout(run), CHECKOUT, person, Set.of("requester", "metadata")));
    data.put("items", items);
    data.put("payment", payment(run));
    data.put("steps", run.steps().stream().map(CheckoutEvents::step).toList());
    data.put("totalCents", order.price().cents());
    data.put("currency", order.price().currency());
    if (run.phase() != Phase.DONE) {
      data.put("failure", failure(run));
    }
    return Event.createFatEvent(type(run.phase()), run.id().pool(), run.id().toString(), data);
  }

  private static EventType type(Phase phase) {
    return switch (phase) {
      case DONE -> EventType.CHECKOUT_FULFILLED;
      case COMPENSATED -> EventType.CHECKOUT_COMPENSATED;
      case STUCK -> EventType.CHECKOUT_STUCK;
      case FORWARD, COMPENSATING, REFUNDING -> throw new IllegalStateException("it has not ended");
    };
  }

  private static Map<String, @Nullable Object> checkout(CheckoutRun run) {
    var order = run.order();
    var entity = new LinkedHashMap<String, @Nullable Object>();
    entity.put("checkoutId", run.id().toString());
    entity.put("holdId", run.soldHold().toString());
    entity.put("pool", run.id().pool().value());
    entity.put("state", run.phase() == Phase.DONE ? "FULFILLED" : run.phase().name());
    entity.put("fence", run.soldHold().fence().value());
    entity.put("caller", order.caller());
    entity.put("requester", order.requester());
    entity.put("metadata", Metadata.parse(order.metadata()));
    entity.put("orderId", run.id().toString());
    entity.put("commitmentId", run.failure() == null ? "cm~" + run.soldHold() : null);
    entity.put("startedAt", run.createdAt());
    return entity;
  }

  private static Map<String, @Nullable Object> payment(CheckoutRun run) {
    var entity = new LinkedHashMap<String, @Nullable Object>();
    entity.put("provider", run.order().provider());
    entity.put("method", run.order().method());
    entity.put("amountCents", run.order().price().cents());
    entity.put("currency", run.order().price().currency());
    return entity;
  }

  private static Map<String, @Nullable Object> step(StepState step) {
    var entity = new LinkedHashMap<String, @Nullable Object>();
    entity.put("name", step.name());
    entity.put("state", CheckoutJson.state(step));
    entity.put("detail", step.detail());
    return entity;
  }

  private static @Nullable Map<String, @Nullable Object> failure(CheckoutRun run) {
    if (run.failure() == null) {
      return null;
    }
    var entity = new LinkedHashMap<String, @Nullable Object>();
    entity.put("code", run.failure().code());
    entity.put("why", run.failure().why());
    return entity;
  }

  private static Map<HoldId, List<Map<String, @Nullable Object>>> items(
      Connection connection, List<HoldId> holds) throws SQLException {
    var items = new HashMap<HoldId, List<Map<String, @Nullable Object>>>();
    try (var run = StatementRun.of(connection, ITEMS)) {
      run.rows(
              holds,
              columns ->
                  columns
                      .text(hold -> hold.pool().value())
                      .text(HoldId::toString)
                      .number(hold -> hold.fence().value()))
          .execute()
          .take(
              row -> {
                var item = new LinkedHashMap<String, @Nullable Object>();
                item.put("item", row.getString("item"));
                item.put("priceCents", row.getLong("price_cents"));
                var hold = HoldId.parse(row.getString("hold_id")).orElseThrow();
                items.computeIfAbsent(hold, _ -> new ArrayList<>()).add(item);
              });
    }
    return items;
  }
}
