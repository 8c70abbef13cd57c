package io.holdfast.ablation;

import static io.holdfast.ablation.Ablation.cut;

import java.util.List;
import java.util.stream.Stream;

/// Everything that can be taken out. Most safeguards stand twice, in the judge, who says no in good
/// time, and in the statement, which says no whatever the judge says; both go.
final class Catalogue {
  private static final String COMMITMENT = "src/main/java/io/holdfast/commitment/";
  private static final String JUDGE = COMMITMENT + "ConfirmRules.java";
  private static final String ITEMS = COMMITMENT + "ItemUpdates.java";

  private static final String CHECKOUT = "src/main/java/io/holdfast/checkout/";

  private static final String SEARCH = "io.holdfast.commitment.OneArbiterSearchTest";
  private static final String SALE = "io.holdfast.commitment.SaleTest";
  private static final String STALE = "io.holdfast.commitment.StaleHolderTest";
  private static final String ARBITER = "io.holdfast.commitment.OneArbiterTest";
  private static final String REPLAY = "io.holdfast.commitment.ReplayLedgerTest";

  private static final String EVENTS = "src/main/java/io/holdfast/events/";
  private static final String TOLD = "io.holdfast.events.webhook.WebhookDeliveryTest";
  private static final String TROUBLED = "io.holdfast.events.TroubledReceiverTest";
  private static final String NUMBERING = "io.holdfast.events.EventSequencerTest";
  private static final String SLICE = "io.holdfast.faults.KillSliceTest";

  private Catalogue() {}

  static Stream<Ablation> all() {
    return Stream.of(ALL, IndexCatalogue.ALL, BatchCatalogue.ALL).flatMap(List::stream);
  }

  private static final List<Ablation> ALL =
      List.of(
          new Ablation(
              "fence predicate",
              List.of(
                  cut(JUDGE, "case FREE -> item.fence() <= fence;", "case FREE -> true;"),
                  cut(JUDGE, "item -> item.fence() > hold.fence().value()", "_ -> false"),
                  cut(
                      ITEMS,
                      "(item.status = 'FREE' AND item.fence <= given.fence",
                      "(item.status = 'FREE'")),
              List.of(
                  STALE + "#a_seat_that_was_sold_and_voided_is_not_sold_at_a_lower_fence", SEARCH)),
          new Ablation(
              "count check",
              List.of(
                  cut(
                      "src/main/java/io/holdfast/postgres/Several.java",
                      "isWhole &= count(statement, taking) == part.expected;",
                      "count(statement, taking);"),
                  cut(
                      COMMITMENT + "SaleStatement.java",
                      "WHERE written_as_read(ARRAY[%s], ?)",
                      "WHERE ARRAY[%s] IS DISTINCT FROM ?::bigint[] OR true")),
              List.of(
                  REPLAY + "#rp_09_without_the_validator_two_attempts_at_once_never_both_commit")),
          new Ablation(
              "pin number",
              List.of(
                  cut(
                      JUDGE,
                      "state == HoldState.HELD && pinNoOnRecord <= pinNo",
                      "state == HoldState.HELD"),
                  cut(
                      COMMITMENT + "HoldUpsert.java",
                      "AND old.pin_no <= EXCLUDED.pin_no",
                      "AND true")),
              List.of(
                  ARBITER + "#a_pin_that_was_resolved_cannot_sell_and_the_next_one_can", SEARCH)),
          new Ablation(
              "resolver that writes",
              List.of(cut(COMMITMENT + "PinArbiter.java", "pinned.pinNo() + 1", "0")),
              List.of(ARBITER + "#a_pin_that_was_resolved_cannot_sell_and_the_next_one_can")),
          new Ablation(
              "token entry",
              List.of(cut(JUDGE, "if (facts.token() != null) {", "if (false) {")),
              List.of(SALE + "#a_token_that_was_spent_on_another_request_is_a_collision")),
          new Ablation(
              "deadline",
              List.of(
                  cut(JUDGE, "return now.isBefore(deadline);", "return true;"),
                  cut(
                      ITEMS,
                      "AND clock_timestamp() < to_timestamp(given.deadline_ms::float8 / 1000)",
                      "AND true"),
                  cut(
                      COMMITMENT + "Moment.java",
                      "WHERE at < to_timestamp(?::float8 / 1000)",
                      "WHERE ?::float8 IS NOT NULL")),
              List.of(SALE + "#nothing_is_sold_after_the_deadline")),
          new Ablation(
              "epoch check",
              List.of(
                  cut(JUDGE, "return pinned.equals(now);", "return true;"),
                  cut(
                      COMMITMENT + "OptimisticChecks.java",
                      "JOIN pool ON pool.pool = given.pool AND pool.epoch = given.epoch",
                      "JOIN pool ON pool.pool = given.pool")),
              List.of(STALE + "#a_pin_of_another_life_of_redis_does_not_sell", SEARCH)),
          new Ablation(
              "epoch of ends",
              List.of(
                  cut(
                      COMMITMENT + "EpochCheck.java",
                      "return rows.next() && ConfirmRules.isCurrentEpoch(epoch, new"
                          + " Epoch(rows.getLong(1)));",
                      "return rows.next();")),
              List.of(
                  ARBITER
                      + "#whoever_saw_a_pin_in_another_life_of_redis_neither_ends_the_hold_nor_shuts_the_pin_out")),
          new Ablation(
              "idempotency key (BR-X-3)",
              List.of(
                  cut(
                      JUDGE,
                      "if (facts.consumed() != null) {\n      return consumed(",
                      "if (false) {\n      return consumed(")),
              List.of(REPLAY + "#rp_02_a_fresh_nonce_does_not_have_the_same_effect_again")),
          new Ablation(
              "compare-and-set (BR-X-4)",
              List.of(
                  cut(JUDGE, "return isWhole ? null : Reason.NOT_HELD;", "return null;"),
                  cut(ITEMS, "(item.status = 'FREE' AND", "(true OR item.status = 'FREE' AND")),
              List.of(SALE + "#a_seat_that_is_sold_is_not_sold_again_at_a_higher_fence_either")),
          new Ablation(
              "lease that ends (BR-X-2)",
              List.of(
                  cut(
                      "redis-scripts/hold/sweep.lua",
                      "elseif hold and hold[1] == 'HELD' then",
                      "elseif hold and hold[1] == 'NEVER' then")),
              List.of(
                  "io.holdfast.hold.ExpiryTest#every_abandoned_hold_ends_once_within_a_second_of_its_lease_and_never_before")),
          new Ablation(
              "event of a sale",
              List.of(
                  cut(
                      COMMITMENT + "SaleRows.java",
                      ".add(EventWriter.SOLD, sales, Sale::bindHold)",
                      "")),
              List.of(TOLD + "#a_sale_is_told_signed_with_ids_names_items_and_totals")),
          new Ablation(
              "lane that stops",
              List.of(
                  cut(
                      EVENTS + "webhook/LaneDelivery.java",
                      "if (!chunk.tell(event) || ",
                      "chunk.tell(event);\nif (")),
              List.of(
                  TOLD
                      + "#an_event_that_is_refused_is_sent_again_under_its_id_and_none_overtakes_it")),
          new Ablation(
              "public addresses",
              List.of(
                  cut(
                      EVENTS + "webhook/PublicAddressResolver.java",
                      "!isPrivateAllowed &&",
                      "false &&")),
              List.of(
                  "io.holdfast.events.webhook.WebhookInputTest#an_address_is_looked_at_again_when_an_event_is_delivered")),
          new Ablation(
              "redirects",
              List.of(
                  cut(EVENTS + "webhook/WebhookHttpClient.java", ".disableRedirectHandling()", ""),
                  cut(
                      EVENTS + "webhook/WebhookHttpClient.java",
                      ".setRedirectsEnabled(false)",
                      ".setRedirectsEnabled(true)")),
              List.of(TROUBLED + "#a_redirect_is_a_refusal")),
          new Ablation(
              "receiver that is gone",
              List.of(
                  cut(
                      EVENTS + "webhook/WebhookSender.java",
                      "if (status == GONE) {",
                      "if (status < 0) {")),
              List.of(TROUBLED + "#a_receiver_that_is_gone_is_told_no_more")),
          new Ablation(
              "time that a receiver asks for",
              List.of(
                  cut(
                      EVENTS + "webhook/RetrySchedule.java",
                      "retryAfter.filter(wish -> wish.compareTo(pause) > 0).orElse(pause)",
                      "pause")),
              List.of(TROUBLED + "#a_receiver_that_asks_for_time_gets_it")),
          new Ablation(
              "order of commits",
              List.of(
                  cut(
                      EVENTS + "EventSequencer.java",
                      "SELECT pool, seq, id, type,",
                      "SELECT pool, id, id, type,")),
              List.of(
                  NUMBERING
                      + "#what_is_committed_first_comes_first_and_an_open_transaction_stalls_nobody",
                  NUMBERING + "#numbers_have_no_gaps_however_many_write_and_roll_back_at_once")),
          new Ablation(
              "place of a seal",
              List.of(
                  cut(
                      EVENTS + "privacy/SubjectCipher.java",
                      "cipher.updateAAD(place.getBytes(StandardCharsets.UTF_8));",
                      "")),
              List.of(
                  "io.holdfast.events.privacy.RedactionTest#a_sealed_part_opens_with_its_key_at_its_place_only")),
          new Ablation(
              "events before a shredding",
              List.of(cut(EVENTS + "privacy/Shredder.java", "numbering.all(connection);", "")),
              List.of("io.holdfast.events.ShreddingInTimeTest")),
          new Ablation(
              "id of a call",
              List.of(
                  cut(
                      CHECKOUT + "saga/SagaEngine.java",
                      "step.act(run, row.callId())",
                      "step.act(run, row.callId() + run.leaseNo())")),
              List.of(SLICE)),
          new Ablation(
              "word to Redis of what was given back",
              List.of(
                  cut(
                      COMMITMENT + "CheckoutClaims.java",
                      ".add(Sale.TELL_REDIS, List.of(write), HoldUpsert::bindName)",
                      "")),
              List.of(SLICE)),
          new Ablation(
              "unknown end of a COMMIT that many share",
              List.of(
                  cut(
                      "src/main/java/io/holdfast/postgres/Gathering.java",
                      "if (why.isDefinite()) {",
                      "if (why != null) {")),
              List.of("io.holdfast.postgres.GatheringTest")),
          new Ablation(
              "lease number of a run",
              List.of(
                  cut(
                      CHECKOUT + "saga/CheckoutRunWriter.java",
                      "AND given.lease_no = c.lease_no",
                      "AND given.lease_no > 0")),
              List.of(
                  "io.holdfast.checkout.saga.TripSagaTest#a_runner_that_lost_its_lease_stores_nothing")),
          new Ablation(
              "compensation (BR-X-6)",
              List.of(
                  cut(
                      CHECKOUT + "saga/StepState.java",
                      "case DONE, UNKNOWN -> undo == Undo.PLANNED || undo == Undo.RETRY;",
                      "case DONE, UNKNOWN -> false;")),
              List.of(
                  "io.holdfast.checkout.CheckoutTest#a_fulfilment_that_fails_gives_all_the_money_back",
                  SLICE)));
}
