package io.holdfast.ablation;

import static io.holdfast.ablation.Ablation.cut;

import io.holdfast.ablation.Ablation.Cut;
import java.util.List;

/// The safeguards whose tests need the others out of the way, or a state that is rare.
final class ProofCatalogue {
  private static final String MAIN = "src/main/java/io/holdfast/";
  private static final String RULES = MAIN + "commitment/sale/ConfirmRules.java";
  private static final String CONSUMED = "io.holdfast.commitment.ConsumedKeyTest";
  private static final String CANONICAL = MAIN + "idempotency/CanonicalForm.java";

  private static final String OPTIMISTIC = MAIN + "commitment/sale/OptimisticSale.java";
  private static final String DECIDED = MAIN + "commitment/sale/DecidedRequest.java";

  private static final String HOLD_SCRIPTS = MAIN + "hold/HoldScripts.java";

  /// Looks at the hold in one call, and extends it in the next.
  private static final List<Cut> HEARTBEAT_OF_TWO_CALLS =
      List.of(
          cut(
              "redis-scripts/hold/extend.lua",
              "if hold[1] ~= 'HELD' or hold[5] ~= requester then",
              "if hold[5] ~= requester then"),
          cut(
              HOLD_SCRIPTS,
              "    return batches\n        .call(\n            EXTEND,",
              "    return read(hold.pool(), List.of(hold.fence())).thenCompose(seen -> batches\n"
                  + "        .call(\n            EXTEND,"),
          cut(
              HOLD_SCRIPTS,
              "requester,\n"
                  + "            Long.toString(fence))\n"
                  + "        .thenApply(HoldReplies::read);",
              """
              isHeld(seen) ? requester : "",
                          Long.toString(fence))
                      .thenApply(HoldReplies::read));
                }

                private static boolean isHeld(HoldOutcome seen) {
                  return seen instanceof HoldOutcome.HoldsRead(_, var found)
                      && !found.isEmpty()
                      && found.getFirst().state() == io.holdfast.pool.HoldState.HELD;
              """));

  private ProofCatalogue() {}

  static final List<Ablation> ALL =
      List.of(
          new Ablation(
              "consumed key before the nonce",
              List.of(
                  cut(
                      RULES,
                      "decideUnderFreshToken(ConfirmRequest request, LockedFacts facts) {",
                      """
                      decideUnderFreshToken(ConfirmRequest request, LockedFacts facts) {
                          var early = nonceRefusal(request, facts);
                          if (early != null) {
                            return new Refuse(early, false);
                          }
                      """)),
              List.of(
                  CONSUMED
                      + "#the_key_is_looked_at_before_the_nonce_and_a_refused_nonce_leaves_no_rows")),
          new Ablation(
              "conflict of a consumed key",
              List.of(
                  cut(
                      MAIN + "commitment/sale/CarefulSale.java",
                      "(SELECT count(*) FROM consumed)",
                      "(SELECT count(*) FROM timed WHERE is_sale)")),
              List.of(
                  CONSUMED
                      + "#of_concurrent_requests_that_consume_one_key_one_has_its_effect_and_the_others_none")),
          new Ablation(
              "time of a nonce",
              List.of(cut(RULES, "&& facts.now().isBefore(nonce.notAfter())", "")),
              List.of(
                  CONSUMED
                      + "#staleness_refuses_new_requests_and_neither_frees_nor_refuses_a_consumed_key")),
          new Ablation(
              "consumed key of a stale request",
              List.of(
                  cut(
                      RULES,
                      "if (facts.consumed() != null) {\n      return consumed(",
                      "if (facts.consumed() != null && !(request.intent() instanceof Pinned(_, var"
                          + " until, _) && !facts.now().isBefore(until))) {\n"
                          + "      return consumed(")),
              List.of(
                  CONSUMED
                      + "#staleness_refuses_new_requests_and_neither_frees_nor_refuses_a_consumed_key")),
          new Ablation(
              "one transaction of lookup and sale",
              List.of(
                  cut(
                      MAIN + "commitment/sale/SaleTransaction.java",
                      "    var decided = new ArrayList<@Nullable DecidedRequest>();",
                      "    connection.commit();\n    var decided = new ArrayList<@Nullable"
                          + " DecidedRequest>();")),
              List.of(
                  "io.holdfast.commitment.CarefulSaleTest#the_lookup_of_the_key_belongs_to_the_transaction_that_writes")),
          new Ablation(
              "check and extension in one step",
              HEARTBEAT_OF_TWO_CALLS,
              List.of("io.holdfast.hold.HeartbeatInterleavingTest")),
          new Ablation(
              "order of candidates",
              List.of(
                  cut(
                      MAIN + "hold/seatsearch/AdjacentSeatSearch.java",
                      "var parts = candidates.parts().stream().map(this::text).toList();",
                      "var parts = new ArrayList<>(candidates.parts().stream().map(this::text)"
                          + ".toList());\n    java.util.Collections.shuffle(parts);")),
              List.of(
                  "io.holdfast.hold.TokenDisciplineTest#equal_requests_for_best_available_get_equal_seats")),
          new Ablation(
              "wait for a running call",
              List.of(
                  cut(
                      MAIN + "commitment/sale/SingleSaleRetry.java",
                      "sales.run(List.of(request), true)",
                      "sales.run(List.of(request), false)")),
              List.of(
                  "io.holdfast.hold.ConfirmInFlightTest#a_second_call_under_a_running_token_waits_and_replays_the_answer_of_the_first")),
          new Ablation(
              "replay of a refusal",
              List.of(
                  cut(
                      "redis-scripts/shared/tokens.lua",
                      "  if was == action and recorded == digest then",
                      "  if string.find(outcome, '^TAKEN') then\n    return nil\n  end\n"
                          + "  if was == action and recorded == digest then")),
              List.of(
                  "io.holdfast.audit.HistoryTest#a_refusal_and_its_retries_are_one_decision_and_one_entry(io.holdfast.app.Service)")),
          new Ablation(
              "order of members in a digest",
              List.of(cut(CANONICAL, "Arrays.sort(names);", "")),
              List.of(
                  "io.holdfast.idempotency.DigestAcrossProcessesTest",
                  "io.holdfast.idempotency.TokenOnTheWireTest")),
          new Ablation(
              "upcast of stored events",
              List.of(
                  cut(
                      MAIN + "events/EventReader.java",
                      "EventUpcaster.toCurrent(row.type, data)",
                      "data")),
              List.of("io.holdfast.events.schema.OldEventTest")),
          new Ablation(
              "entry of a token in the sale's transaction",
              List.of(
                  cut(
                      OPTIMISTIC,
                      "      \"\"\"\n          + SubjectKeys.CREATE",
                      "      CREATE TEMPORARY TABLE IF NOT EXISTS later (LIKE token_result);\n"
                          + "      \"\"\"\n          + SubjectKeys.CREATE"),
                  cut(OPTIMISTIC, "INSERT INTO token_result", "INSERT INTO later"),
                  cut(
                      OPTIMISTIC,
                      "          COMMIT;\n",
                      "          COMMIT;\n          INSERT INTO token_result SELECT * FROM later;\n"
                          + "          DROP TABLE later;\n"),
                  cut(
                      OPTIMISTIC,
                      "run.execute().skip().skip()",
                      "run.execute().skip().skip().skip()"),
                  cut(OPTIMISTIC, "failed(run.skip())", "failed(run.skip().skip().skip())")),
              List.of(
                  "io.holdfast.commitment.SaleTest#the_compare_and_set_the_consumed_key_and_the_result_are_of_one_transaction")),
          new Ablation(
              "version of an entry",
              List.of(
                  cut(
                      MAIN + "hold/IdempotentCall.java",
                      "            .as(idempotency.entryVersion());",
                      "            ;")),
              List.of(
                  "io.holdfast.idempotency.OldEntriesTest#instances_that_write_different_versions_answer_each_others_retries(java.nio.file.Path)",
                  "io.holdfast.idempotency.DigestFunctionTest#the_digest_function_is_stored_with_every_entry_in_both_layers")),
          new Ablation(
              "failed verification of an earlier sale",
              List.of(
                  cut(
                      DECIDED,
                      "case StoredOutcome.Confirmed(var hold) when isSound ->",
                      "case StoredOutcome.Confirmed(var hold) when isSound || isReplay ->")),
              List.of(
                  "io.holdfast.commitment.sale.VerificationTest#rp_07_a_sale_that_fails_its_verification_stays_compensating_and_is_not_repeated",
                  "io.holdfast.checkout.CompensationTest#a_failed_sale_is_undone_once_and_its_logical_key_stays_consumed")),
          new Ablation(
              "cost of a script that does not grow with the pool",
              List.of(
                  cut(
                      "redis-scripts/hold/place.lua",
                      "read_meta(fields)",
                      "call('HVALS', META)\nread_meta(fields)")),
              List.of("io.holdfast.hold.ScriptTimeTest")),
          new Ablation(
              "count of replays",
              List.of(
                  cut(
                      MAIN + "idempotency/store/ReplayLog.java",
                      "counts.merge(use, new Count(1, now, now), Count::plus);",
                      "")),
              List.of(
                  "io.holdfast.hold.ReplaysOnRecordTest#the_repetitions_of_a_hold_are_counted_and_leave_its_entry_as_it_was")),
          new Ablation(
              "tokens restored after a loss",
              List.of(
                  cut(
                      MAIN + "journal/store/TokenRows.java",
                      "           AND window_until > clock_timestamp()",
                      "           AND false")),
              List.of(
                  "io.holdfast.hold.LostDataTest#replaying_an_hour_after_a_failover_repeats_answers_and_holds_no_seat_twice")));
}
