package io.holdfast.ablation;

import static io.holdfast.ablation.Ablation.cut;

import java.util.List;
import java.util.stream.Stream;

/// All safeguards that can be removed. Most exist twice, in the rules, which refuse early, and in
/// the statement, which refuses whatever the rules decide; both are cut.
final class Catalogue {
  private static final String COMMITMENT = "src/main/java/io/holdfast/commitment/";
  private static final String RULES = COMMITMENT + "sale/ConfirmRules.java";
  private static final String OPTIMISTIC = COMMITMENT + "sale/OptimisticSale.java";
  private static final String CAREFUL = COMMITMENT + "sale/CarefulSale.java";

  private static final String CHECKOUT = "src/main/java/io/holdfast/checkout/";

  private static final String SEARCH = "io.holdfast.commitment.OneArbiterSearchTest";
  private static final String SALE = "io.holdfast.commitment.SaleTest";
  private static final String STALE = "io.holdfast.commitment.StaleHolderTest";
  private static final String ARBITER = "io.holdfast.commitment.OneArbiterTest";
  private static final String REPLAY = "io.holdfast.commitment.ReplayLedgerTest";

  private static final String EVENTS = "src/main/java/io/holdfast/events/";
  private static final String DELIVERY = "io.holdfast.events.webhook.WebhookDeliveryTest";
  private static final String FAILING_RECEIVER = "io.holdfast.events.FailingReceiverTest";
  private static final String SEQUENCER = "io.holdfast.events.EventSequencerTest";
  private static final String SHREDDING = "io.holdfast.events.ShredUnnumberedEventsTest";
  private static final String WITH_SERVERS =
      "(io.holdfast.app.Service, io.holdfast.testing.TestServers)";
  private static final String SLICE = "io.holdfast.faults.KillSliceTest";

  private static final String LOCK_RUNS =
      "       ORDER BY given.pool, given.checkout_id\n         FOR UPDATE OF c";

  private Catalogue() {}

  static Stream<Ablation> all() {
    return Stream.of(
            ALL,
            IndexCatalogue.ALL,
            BatchCatalogue.ALL,
            StreamCatalogue.ALL,
            StockCatalogue.ALL,
            ReservationCatalogue.ALL,
            SequenceCatalogue.ALL,
            ProofCatalogue.ALL)
        .flatMap(List::stream);
  }

  private static final List<Ablation> ALL =
      List.of(
          new Ablation(
              "fence predicate (BR-X-5)",
              List.of(
                  cut(RULES, "case FREE -> item.fence() <= fence;", "case FREE -> true;"),
                  cut(RULES, "item -> item.fence() > hold.fence().value()", "_ -> false"),
                  cut(OPTIMISTIC, "AND item.fence <= wanted.fence", ""),
                  cut(CAREFUL, "AND item.fence <= wanted.fence", "")),
              List.of(STALE + "#a_voided_seat_is_not_sold_at_a_lower_fence", SEARCH)),
          new Ablation(
              "count check",
              List.of(
                  cut(OPTIMISTIC, "WHERE written_as_read(", "WHERE true OR written_as_read("),
                  cut(CAREFUL, "WHERE written_as_read(", "WHERE true OR written_as_read(")),
              List.of(
                  REPLAY
                      + "#rp_09_without_the_validator_two_concurrent_attempts_never_both_commit")),
          new Ablation(
              "pin number",
              List.of(
                  cut(
                      RULES,
                      "state == HoldState.HELD && pinNoOnRecord <= pinNo",
                      "state == HoldState.HELD"),
                  cut(OPTIMISTIC, "AND old.pin_no <= EXCLUDED.pin_no", ""),
                  cut(CAREFUL, "AND old.pin_no <= EXCLUDED.pin_no", "")),
              List.of(ARBITER + "#a_resolved_pin_cannot_sell_and_the_next_one_can", SEARCH)),
          new Ablation(
              "resolver that writes",
              List.of(cut(COMMITMENT + "PinArbiter.java", "hold.pinNo() + 1", "0L")),
              List.of(ARBITER + "#a_resolved_pin_cannot_sell_and_the_next_one_can")),
          new Ablation(
              "token entry",
              List.of(cut(RULES, "if (facts.token() != null) {", "if (false) {")),
              List.of(SALE + "#a_token_of_another_request_is_a_collision")),
          new Ablation(
              "deadline",
              List.of(
                  cut(RULES, "return now.isBefore(deadline);", "return true;"),
                  cut(OPTIMISTIC, "AND clock_timestamp() < wanted.deadline", ""),
                  cut(OPTIMISTIC, "WHERE at < (SELECT min(deadline) FROM wanted)", ""),
                  cut(CAREFUL, "AND clock_timestamp() < wanted.deadline", ""),
                  cut(CAREFUL, "WHERE at < (SELECT min(deadline) FROM wanted)", "")),
              List.of(SALE + "#nothing_is_sold_after_the_deadline")),
          new Ablation(
              "epoch check",
              List.of(
                  cut(RULES, "return pinned.equals(now);", "return true;"),
                  cut(
                      OPTIMISTIC,
                      "JOIN pool ON pool.pool = pinned.pool AND pool.epoch = pinned.epoch",
                      "JOIN pool ON pool.pool = pinned.pool")),
              List.of(STALE + "#a_pin_of_another_epoch_does_not_sell", SEARCH)),
          new Ablation(
              "epoch of ends",
              List.of(
                  cut(
                      COMMITMENT + "EpochCheck.java",
                      "return rows.next() && ConfirmRules.isCurrentEpoch(epoch, new"
                          + " Epoch(rows.getLong(1)));",
                      "return rows.next();")),
              List.of(ARBITER + "#a_pin_of_another_epoch_neither_ends_the_hold_nor_is_resolved")),
          new Ablation(
              "idempotency key (BR-X-3)",
              List.of(
                  cut(
                      RULES,
                      "if (facts.consumed() != null) {\n      return consumed(",
                      "if (false) {\n      return consumed(")),
              List.of(REPLAY + "#rp_02_a_new_nonce_does_not_repeat_an_effect")),
          new Ablation(
              "compare-and-set (BR-X-4)",
              List.of(
                  cut(
                      RULES,
                      "return isWhole && isInStock ? null : Reason.NOT_HELD;",
                      "return null;"),
                  cut(OPTIMISTIC, "(item.status = 'FREE' AND", "(true OR item.status = 'FREE' AND"),
                  cut(CAREFUL, "(item.status = 'FREE' AND", "(true OR item.status = 'FREE' AND")),
              List.of(
                  "io.holdfast.commitment.CompareAndSetTest#of_concurrent_writers_of_one_seat_one_writes_and_none_overwrites_it",
                  SALE + "#a_sold_seat_is_not_sold_again_at_a_higher_fence")),
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
                      OPTIMISTIC,
                      "SELECT pool, 'hold.confirmed', hold_id, '' FROM timed",
                      "SELECT pool, 'hold.other', hold_id, '' FROM timed"),
                  cut(
                      CAREFUL,
                      "SELECT pool, 'hold.confirmed', hold_id, '' FROM timed",
                      "SELECT pool, 'hold.other', hold_id, '' FROM timed")),
              List.of(DELIVERY + "#a_sale_event_is_signed_and_has_ids_names_items_and_totals")),
          new Ablation(
              "lane that stops at a failed event",
              List.of(
                  cut(
                      EVENTS + "webhook/LaneDelivery.java",
                      "if (!batch.deliver(event) || ",
                      "batch.deliver(event);\nif (")),
              List.of(
                  DELIVERY + "#a_refused_event_is_sent_again_under_its_id_before_any_later_event")),
          new Ablation(
              "public addresses",
              List.of(
                  cut(
                      EVENTS + "webhook/PublicAddressResolver.java",
                      "!isPrivateAllowed &&",
                      "false &&")),
              List.of(
                  "io.holdfast.events.webhook.WebhookRegistrationTest#the_address_is_checked_again_at_every_delivery")),
          new Ablation(
              "redirects",
              List.of(
                  cut(EVENTS + "webhook/WebhookSender.java", ".disableRedirectHandling()", ""),
                  cut(
                      EVENTS + "webhook/WebhookSender.java",
                      ".setRedirectsEnabled(false)",
                      ".setRedirectsEnabled(true)")),
              List.of(FAILING_RECEIVER + "#a_redirect_is_not_followed_and_counts_as_a_failure")),
          new Ablation(
              "receiver that is gone",
              List.of(
                  cut(
                      EVENTS + "webhook/WebhookSender.java",
                      "if (status == GONE) {",
                      "if (status < 0) {")),
              List.of(FAILING_RECEIVER + "#a_receiver_that_answers_410_gets_no_more_events")),
          new Ablation(
              "Retry-After of a receiver",
              List.of(
                  cut(
                      EVENTS + "webhook/RetrySchedule.java",
                      "retryAfter.filter(asked -> asked.compareTo(pause) > 0).orElse(pause)",
                      "pause")),
              List.of(FAILING_RECEIVER + "#the_retry_after_of_a_receiver_is_respected")),
          new Ablation(
              "order of commits",
              List.of(
                  cut(
                      EVENTS + "EventSequencer.java",
                      "SELECT pool, seq, id, type,",
                      "SELECT pool, id, id, type,")),
              List.of(
                  SEQUENCER
                      + "#numbers_follow_the_order_of_commits_and_an_open_transaction_delays_no_other_event",
                  SEQUENCER
                      + "#numbers_have_no_gaps_when_many_transactions_commit_and_roll_back_at_once")),
          new Ablation(
              "position of a ciphertext",
              List.of(
                  cut(
                      "src/main/java/io/holdfast/subject/SubjectCipher.java",
                      "cipher.updateAAD(position.getBytes(StandardCharsets.UTF_8));",
                      "")),
              List.of(
                  "io.holdfast.events.privacy.RedactionTest#a_ciphertext_is_decrypted_only_with_its_key_and_at_its_position")),
          new Ablation(
              "events before a shredding",
              List.of(
                  cut(EVENTS + "privacy/Shredder.java", "encryptEventsOfOthers(connection);", "")),
              List.of(
                  SHREDDING
                      + "#an_event_that_is_committed_while_the_shredding_waits_for_its_row_is_shredded_too"
                      + WITH_SERVERS)),
          new Ablation(
              "key that is locked for a shredding",
              List.of(
                  cut(
                      EVENTS + "privacy/ShreddingSql.java",
                      "secret IS NOT NULL FOR UPDATE;",
                      "secret IS NOT NULL;")),
              List.of(
                  SHREDDING
                      + "#a_hold_that_is_stored_while_the_shredding_waits_for_the_key_is_found"
                      + WITH_SERVERS)),
          new Ablation(
              "lock of a sale that is undone",
              List.of(
                  cut(
                      CHECKOUT + "reversal/SaleCompensation.java",
                      "SaleReversals.lock(connection, hold);",
                      ""),
                  cut(
                      COMMITMENT + "claim/SaleReversals.java",
                      "lock(connection, hold);\n    var event",
                      "var event")),
              List.of(
                  "io.holdfast.checkout.CompensationTest#of_many_calls_with_fresh_nonces_one_undoes_the_sale")),
          new Ablation(
              "id of a call",
              List.of(
                  cut(
                      CHECKOUT + "saga/SagaEngine.java",
                      "step.act(run, row.callId())",
                      "step.act(run, row.callId() + run.leaseNo())")),
              List.of(SLICE)),
          new Ablation(
              "outbox entry of a returned claim",
              List.of(
                  cut(
                      COMMITMENT + "claim/CheckoutClaims.java",
                      "SELECT pool, hold_id, 'settle' FROM given",
                      "SELECT pool, hold_id || 'x', 'settle' FROM given")),
              List.of(SLICE)),
          new Ablation(
              "unknown end of a COMMIT that many share",
              List.of(
                  cut(
                      "src/main/java/io/holdfast/runtime/BlockingBatcher.java",
                      "if (!server.isDefinite()) {",
                      "if (server == null) {")),
              List.of("io.holdfast.runtime.BlockingBatcherTest")),
          new Ablation(
              "lease number of a run",
              List.of(
                  cut(
                      CHECKOUT + "saga/CheckoutRunWriter.java",
                      "AND given.lease_no = c.lease_no\n" + LOCK_RUNS + "\n",
                      "\n" + LOCK_RUNS + "\n"),
                  cut(
                      CHECKOUT + "saga/CheckoutRunWriter.java",
                      "AND given.lease_no = c.lease_no\n" + LOCK_RUNS + " SKIP LOCKED",
                      "\n" + LOCK_RUNS + " SKIP LOCKED")),
              List.of(
                  "io.holdfast.checkout.saga.TripSagaTest#a_runner_that_lost_its_lease_stores_nothing")),
          new Ablation(
              "compensation (BR-X-6)",
              List.of(
                  cut(
                      CHECKOUT + "saga/CheckoutRun.java",
                      "case DONE, UNKNOWN -> undo == Undo.PLANNED || undo == Undo.RETRY;",
                      "case DONE, UNKNOWN -> false;")),
              List.of(
                  "io.holdfast.checkout.CheckoutTest#a_failed_fulfilment_refunds_all_the_money",
                  SLICE)));
}
