package io.holdfast.ablation;

import static io.holdfast.ablation.Ablation.cut;

import java.util.List;

/// The safeguards of the index of active pools.
final class IndexCatalogue {
  private static final String HOLD = "src/main/java/io/holdfast/hold/";
  private static final String ACTIVITY = "src/main/java/io/holdfast/activity/";
  private static final String SCRIPTS = "redis-scripts/index/";
  private static final String INDEX = "io.holdfast.activity.ActivePoolsTest";
  private static final String LOST = "io.holdfast.hold.LostIndexTest";

  private IndexCatalogue() {}

  static final List<Ablation> ALL =
      List.of(
          new Ablation(
              "walk over all pools",
              List.of(
                  cut(
                      "src/main/java/io/holdfast/seeding/IndexRebuilder.java",
                      "check(next());",
                      "next();")),
              List.of(LOST + "#writes_that_no_instance_has_noted_are_found_by_the_walk")),
          new Ablation(
              "index rebuilt after a loss",
              List.of(
                  cut(
                      HOLD + "ExpirySweeper.java",
                      "taken.lostOn().ifPresent(rebuilder::rebuild);",
                      "")),
              List.of(
                  LOST + "#holds_of_an_unused_pool_are_restored_promptly_after_a_loss_of_data")),
          new Ablation(
              "lease of a sweep",
              List.of(
                  cut(
                      SCRIPTS + "take.lua",
                      "redis.call('ZADD', KEYS[1], lease, pool)",
                      "redis.call('ZSCORE', KEYS[1], pool)")),
              List.of(INDEX + "#each_pool_that_is_due_has_one_sweeper")),
          new Ablation(
              "note during a sweep",
              List.of(
                  cut(SCRIPTS + "note.lua", "elseif score % 1 == TAKEN then", "elseif false then")),
              List.of(INDEX + "#a_pool_that_is_noted_while_it_is_swept_is_swept_again")),
          new Ablation(
              "note during a drain",
              List.of(
                  cut(
                      SCRIPTS + "drains.lua",
                      "if score and tonumber(score) == tonumber(ARGV[i + 1]) then",
                      "if score then")),
              List.of(INDEX + "#a_pool_that_is_noted_while_it_is_drained_stays_in_the_index")),
          new Ablation(
              "notes kept without Redis",
              List.of(
                  cut(
                      ACTIVITY + "ActivePools.java",
                      "notes.subList(start, notes.size()).forEach(this::keep);",
                      "")),
              List.of(INDEX + "#notes_made_without_redis_are_entered_when_it_returns")),
          new Ablation(
              "success of a sweep",
              List.of(cut(HOLD + "ExpirySweeper.java", "failures.add(e);", "")),
              List.of(
                  "io.holdfast.hold.SweeperErrorTest"
                      + "#a_run_whose_calls_are_not_answered_has_failed_and_the_pool_is_swept_again")));
}
