package io.holdfast.ablation;

import static io.holdfast.ablation.Ablation.cut;

import java.util.List;

/// The safeguards of queues: waiting rooms and auctions.
final class SequenceCatalogue {
  private static final String PROCESSOR =
      "src/main/java/io/holdfast/commitment/sequence/SequenceProcessor.java";
  private static final String ADMITTER = "src/main/java/io/holdfast/waiting/Admitter.java";
  private static final String RAFFLE = "src/main/java/io/holdfast/waiting/Raffle.java";
  private static final String PASSES = "src/main/java/io/holdfast/pass/Passes.java";
  private static final String SALE =
      "src/main/java/io/holdfast/commitment/auction/AuctionSale.java";
  private static final String JOIN = "redis-scripts/waiting/join.lua";
  private static final String TICKETS = "redis-scripts/shared/tickets.lua";
  private static final String PASS = "redis-scripts/shared/pass.lua";
  private static final String BID = "redis-scripts/auction/bid.lua";

  private static final String PROCESSOR_TEST =
      "io.holdfast.commitment.sequence.SequenceProcessorTest";
  private static final String ADMISSION_TEST = "io.holdfast.waiting.AdmissionTest";
  private static final String ROOM_TEST = "io.holdfast.waiting.WaitingRoomTest";
  private static final String PASS_TEST = "io.holdfast.waiting.PassTest";
  private static final String RAFFLE_TEST = "io.holdfast.waiting.RaffleTest";
  private static final String DRAW_TEST = "io.holdfast.waiting.RaffleDrawTest";
  private static final String CLOSE_TEST = "io.holdfast.auction.AuctionCloseTest";

  private SequenceCatalogue() {}

  static final List<Ablation> ALL =
      List.of(
          new Ablation(
              "sequence number (BR-X-7)",
              List.of(
                  cut(
                      JOIN,
                      "add(queue_args, number, number)",
                      "add(queue_args, '-' .. number, number)"),
                  cut(PROCESSOR, ".sorted(Comparator.comparingLong(Sequenced::sequence))", "")),
              List.of(ADMISSION_TEST + "#an_operator_admits_the_first_of_the_queue")),
          new Ablation(
              "order of processing",
              List.of(cut(PROCESSOR, ".sorted(Comparator.comparingLong(Sequenced::sequence))", "")),
              List.of(PROCESSOR_TEST + "#the_order_does_not_depend_on_the_queue")),
          new Ablation(
              "committed sequence as a fence",
              List.of(
                  cut(
                      PROCESSOR,
                      "WHERE pool = ? AND committed_sequence < ?",
                      "WHERE pool = ? AND ?::bigint > 0")),
              List.of(
                  PROCESSOR_TEST
                      + "#the_statement_refuses_numbers_that_are_not_above_the_committed_one",
                  PROCESSOR_TEST + "#two_processors_at_once_commit_each_entry_once_and_in_order")),
          new Ablation(
              "late processor",
              List.of(
                  cut(PROCESSOR, "entry.sequence() <= committedSequence", "entry.sequence() < 0")),
              List.of(
                  ADMISSION_TEST + "#an_admitter_that_wakes_up_late_is_refused",
                  CLOSE_TEST + "#a_closer_with_an_older_sequence_is_refused")),
          new Ablation(
              "removal after the commit",
              List.of(
                  cut(
                      PROCESSOR,
                      "if (!commit(pool, work, fresh)) {",
                      "queue.remove(fresh);\n    if (!commit(pool, work, fresh)) {")),
              List.of(PROCESSOR_TEST + "#an_entry_stays_in_the_queue_until_it_is_committed")),
          new Ablation(
              "removal of what an earlier run has committed",
              List.of(cut(PROCESSOR, "      queue.remove(done);\n", "")),
              List.of(
                  ADMISSION_TEST
                      + "#an_admission_that_was_not_removed_from_the_queue_is_repeated_without_effect")),
          new Ablation(
              "new number of an overtaken entry",
              List.of(cut(PROCESSOR, "      queue.putBehind(overtaken);\n", "")),
              List.of(PROCESSOR_TEST + "#an_overtaken_entry_gets_a_new_number_and_is_not_lost")),
          new Ablation(
              "admissions up to what is free (AU-16)",
              List.of(cut(ADMITTER, "Math.min(limit.of(head), free)", "limit.of(head)")),
              List.of(ADMISSION_TEST + "#no_more_are_admitted_than_units_are_free")),
          new Ablation(
              "admitted requesters without a hold (AU-16)",
              List.of(cut(ADMITTER, " - head.choosing()", "")),
              List.of(ADMISSION_TEST + "#no_more_are_admitted_than_units_are_free")),
          new Ablation(
              "one ticket of a requester (AU-16)",
              List.of(cut(JOIN, "return ticket and is_live(ticket) and ticket", "return nil")),
              List.of(ROOM_TEST + "#joining_again_keeps_the_ticket_and_its_place")),
          new Ablation(
              "sign of life",
              List.of(
                  cut(
                      TICKETS,
                      "return deadline and deadline - now < grace_ms * 2 / 3",
                      "return false")),
              List.of(
                  ROOM_TEST
                      + "#a_ticket_without_a_sign_of_life_expires_and_one_with_it_keeps_its_place")),
          new Ablation(
              "pass of a hold",
              List.of(cut(PASS, "return pass == '' or (", "return true or (")),
              List.of(
                  ROOM_TEST + "#holds_need_a_pass_and_the_refusal_is_stored",
                  ROOM_TEST + "#seats_need_a_pass_whether_they_are_named_or_searched")),
          new Ablation(
              "signature of a pass",
              List.of(cut(PASSES, "return isSigned ? number(", "return isSigned | true ? number(")),
              List.of(
                  PASS_TEST + "#a_forged_pass_is_refused",
                  PASS_TEST + "#a_pass_is_bound_to_its_pool_its_requester_and_its_caller")),
          new Ablation(
              "end of a pass",
              List.of(cut(PASS, "until_s * 1000 > now", "until_s")),
              List.of(PASS_TEST + "#a_pass_ends_and_a_replay_of_its_hold_still_succeeds")),
          new Ablation(
              "revoked passes",
              List.of(cut(PASS, "and not call('ZSCORE', prefix .. 'revoked', number)", "")),
              List.of(
                  PASS_TEST + "#a_revoked_pass_is_refused_and_its_holds_stay",
                  PASS_TEST + "#who_leaves_after_the_admission_cannot_use_the_pass")),
          new Ablation(
              "opening of a room",
              List.of(
                  cut(
                      RAFFLE,
                      "return opensAt != null && (",
                      "return opensAt == Instant.EPOCH && (")),
              List.of(ADMISSION_TEST + "#nobody_is_admitted_before_the_opening")),
          new Ablation(
              "opening by the clock of Redis",
              List.of(cut(RAFFLE, " || redisNow.isBefore(opensAt)", "")),
              List.of(
                  DRAW_TEST + "#a_raffle_is_not_drawn_before_the_opening_by_the_clock_of_redis")),
          new Ablation(
              "epoch of a draw",
              List.of(
                  cut(
                      "src/main/java/io/holdfast/waiting/RaffleTable.java",
                      " || !EpochCheck.isPresent(connection, pool, epoch)",
                      "")),
              List.of(
                  DRAW_TEST + "#a_raffle_is_not_drawn_with_what_was_seen_before_a_loss_of_redis")),
          new Ablation(
              "epoch of admissions",
              List.of(
                  cut(
                      ADMITTER,
                      "if (!EpochCheck.isPresent(connection, name(), new"
                          + " Epoch(head.counts().epoch()))) {",
                      "if (false) {")),
              List.of(ADMISSION_TEST + "#an_admitter_of_an_earlier_epoch_is_refused")),
          new Ablation(
              "ticket that was admitted under another place",
              List.of(
                  cut(
                      "src/main/java/io/holdfast/waiting/AdmissionTable.java",
                      "ON CONFLICT ON CONSTRAINT admission_key DO NOTHING",
                      "")),
              List.of(
                  ADMISSION_TEST
                      + "#a_ticket_that_was_admitted_under_another_place_is_only_taken_out_of_the_queue")),
          new Ablation(
              "place of a raffle after a loss",
              List.of(
                  cut(
                      "src/main/java/io/holdfast/journal/store/TicketBatch.java",
                      "CASE WHEN old.number = ANY (?)",
                      "CASE WHEN EXCLUDED.requeued OR old.number = ANY (?)")),
              List.of(
                  "io.holdfast.waiting.WaitingRoomLossTest"
                      + "#a_requeued_ticket_keeps_the_place_of_a_raffle_when_it_is_seen_again")),
          new Ablation(
              "epoch of a close",
              List.of(
                  cut(
                      SALE,
                      "if (!EpochCheck.isPresent(connection, name(), close.epoch())) {",
                      "if (false) {")),
              List.of(CLOSE_TEST + "#a_close_of_an_earlier_epoch_decides_nothing")),
          new Ablation(
              "draw by the published seed",
              List.of(
                  cut(
                      RAFFLE,
                      ".sorted(Comparator.comparing(HashedTicket::hash, Arrays::compareUnsigned))",
                      "")),
              List.of(
                  RAFFLE_TEST
                      + "#early_tickets_are_drawn_by_the_published_seed_and_late_ones_stay_behind")),
          new Ablation(
              "highest bid",
              List.of(cut(SALE, "ORDER BY h.amount_cents DESC, h.fence", "ORDER BY h.fence")),
              List.of(CLOSE_TEST + "#the_highest_bid_wins_and_of_equal_ones_the_earlier")),
          new Ablation(
              "earlier of equal bids",
              List.of(
                  cut(
                      SALE,
                      "ORDER BY h.amount_cents DESC, h.fence",
                      "ORDER BY h.amount_cents DESC, h.fence DESC")),
              List.of(CLOSE_TEST + "#the_highest_bid_wins_and_of_equal_ones_the_earlier")),
          new Ablation(
              "reserve of an auction",
              List.of(cut(SALE, "greatest(a.reserve_cents, 1)", "1")),
              List.of(CLOSE_TEST + "#below_the_reserve_nothing_is_sold")),
          new Ablation(
              "bids in Postgres before the close",
              List.of(cut(SALE, "    refuseUnlessDrained(connection, close);\n", "")),
              List.of(CLOSE_TEST + "#a_close_that_is_not_drained_decides_nothing")),
          new Ablation(
              "no bids after the close",
              List.of(cut(BID, "if now >= closes_at() then", "if false then")),
              List.of(CLOSE_TEST + "#after_the_close_bids_are_neither_taken_nor_changed")),
          new Ablation(
              "bid below the own one",
              List.of(cut(BID, "if offered > amount then", "if false then")),
              List.of(
                  "io.holdfast.auction.AuctionTest"
                      + "#a_bid_below_the_requesters_own_is_refused_and_a_replay_gets_equal_bytes")));
}
