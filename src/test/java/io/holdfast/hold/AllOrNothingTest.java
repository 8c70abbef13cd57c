package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Together;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A hold has all requested items, or there is no hold.
@ExtendWith(RealServers.class)
@Tag("cluster")
class AllOrNothingTest {
  private static Api api;

  @BeforeAll
  static void open(Service service) {
    api = Api.of(service);
  }

  @Test
  @Requirement("PC-DP-1")
  void one_taken_or_unknown_item_refuses_the_whole_hold() {
    var pool = api.pool(4);
    api.hold(pool, "ben", "A-2");

    var taken = api.place(pool, Api.token(), "ann", "A-1", "A-2", "A-3");
    var unknown = api.place(pool, Api.token(), "ann", "A-1", "A-99");

    assertThat(taken.statusCode() + Api.code(taken)).isEqualTo("409resource-unavailable");
    assertThat(Http.json(taken).get("items").toString()).isEqualTo("[\"A-2\"]");
    assertThat(unknown.statusCode() + Api.code(unknown)).isEqualTo("400invalid-request");
    assertThat(Http.json(unknown).get("items").toString()).isEqualTo("[\"A-99\"]");
    assertThat(api.counts(pool)).isEqualTo("3 free, 1 held");
  }

  @Test
  @Requirement("PC-BH-2")
  void concurrent_holds_of_overlapping_pairs_get_both_items_or_none() {
    var pool = api.pool(6);

    for (var round = 0; round < 10; round++) {
      var answers =
          Together.run(
              12,
              i ->
                  api.place(
                      pool, Api.token(), "u" + i, "A-" + (1 + i % 6), "A-" + (1 + (i + 1) % 6)));
      var winners = answers.stream().filter(answer -> answer.statusCode() == 201).toList();

      assertThat(winners).hasSizeBetween(2, 3);
      assertThat(api.counts(pool))
          .isEqualTo("%d free, %d held".formatted(6 - 2 * winners.size(), 2 * winners.size()));
      assertThat(
              winners.stream()
                  .flatMap(answer -> Http.json(answer).get("items").valueStream())
                  .map(Object::toString))
          .doesNotHaveDuplicates();
      winners.forEach(answer -> giveBack(Http.json(answer)));
    }
  }

  private static void giveBack(JsonNode hold) {
    api.release(hold.get("holdId").asText(), Api.token(), hold.get("requester").asText());
  }
}
