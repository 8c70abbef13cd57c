package io.holdfast.ablation;

import static io.holdfast.ablation.Ablation.cut;

import java.util.List;

/// Everything that can be taken out. Most safeguards stand twice, in the judge, who says no in good
/// time, and in the statement, which says no whatever the judge says; both go.
final class Catalogue {
  private static final String COMMITMENT = "src/main/java/io/holdfast/commitment/";
  private static final String JUDGE = COMMITMENT + "Judge.java";
  private static final String ITEMS = COMMITMENT + "Items.java";

  private static final String SEARCH = "io.holdfast.commitment.OneArbiterSearchTest";
  private static final String SALE = "io.holdfast.commitment.SaleTest";
  private static final String STALE = "io.holdfast.commitment.StaleHolderTest";
  private static final String ARBITER = "io.holdfast.commitment.OneArbiterTest";
  private static final String REPLAY = "io.holdfast.commitment.ReplayLedgerTest";

  private Catalogue() {}

  static final List<Ablation> ALL =
      List.of(
          new Ablation(
              "fence predicate",
              List.of(
                  cut(JUDGE, "case FREE -> item.fence() < fence;", "case FREE -> true;"),
                  cut(JUDGE, "item -> item.fence() > hold.fence().value()", "_ -> false"),
                  cut(
                      ITEMS,
                      "(item.status = 'FREE' AND item.fence < given.fence",
                      "(item.status = 'FREE'")),
              List.of(
                  STALE + "#a_seat_that_was_sold_and_voided_is_not_sold_at_a_lower_fence", SEARCH)),
          new Ablation(
              "count check",
              List.of(
                  cut(
                      COMMITMENT + "Writing.java",
                      "isWhole &= count(statement) == part.expected;",
                      "count(statement);")),
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
                      COMMITMENT + "HoldWrite.java",
                      "AND old.pin_no <= EXCLUDED.pin_no",
                      "AND true")),
              List.of(
                  ARBITER + "#a_pin_that_was_resolved_cannot_sell_and_the_next_one_can", SEARCH)),
          new Ablation(
              "resolver that writes",
              List.of(cut(COMMITMENT + "Resolver.java", "pinned.pinNo() + 1", "0")),
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
                      "AND true")),
              List.of(SALE + "#nothing_is_sold_after_the_deadline")),
          new Ablation(
              "epoch check",
              List.of(cut(JUDGE, "return pinned.equals(now);", "return true;")),
              List.of(STALE + "#a_pin_of_another_life_of_redis_does_not_sell", SEARCH)),
          new Ablation(
              "epoch of ends",
              List.of(
                  cut(
                      COMMITMENT + "Lives.java",
                      "return rows.next() && Judge.isOfThisLife(epoch, new"
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
                  cut(JUDGE, "return isWhole ? null : NOT_HELD;", "return null;"),
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
                  "io.holdfast.hold.ExpiryTest#every_abandoned_hold_ends_once_within_a_second_of_its_lease_and_never_before")));
}
