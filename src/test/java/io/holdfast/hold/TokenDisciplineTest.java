package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Folders;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The rules for tokens, and the refusal of calls that break them.
@ExtendWith(RealServers.class)
@Tag("cluster")
class TokenDisciplineTest {
  private static Api api;

  @BeforeAll
  static void open(Service service) {
    api = Api.of(service);
  }

  @Test
  @Requirement({"IR-AW-02", "IR-EC-10", "IR-AW-01"})
  void all_four_actions_need_a_token() {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");
    var path = "/v1/holds/" + hold.id();
    var bodies =
        Map.of(
            "/v1/pools/" + pool + "/holds", "{\"requester\":\"ann\",\"items\":[\"A-1\"]}",
            path + "/confirm",
                "{\"requester\":\"ann\",\"fence\":%d,\"orderId\":\"o\"}".formatted(hold.fence()),
            path + "/release", "{\"requester\":\"ann\"}",
            path + "/expire", "{\"force\":true}");

    bodies.forEach(
        (route, body) -> {
          var refused = Http.post(api.base(), route, body, "Authorization", "Bearer " + api.key());
          assertThat(refused.statusCode()).as(route).isEqualTo(400);
          assertThat(Http.json(refused).get("field").asText()).isEqualTo("Idempotency-Key");
        });
    assertThat(api.stateOf(pool, "A-1")).isEqualTo("HELD");
  }

  @Test
  @Requirement("IR-EC-12")
  void a_metric_shows_a_client_with_a_new_token_for_each_retry() {
    var pool = api.pool(1);
    api.hold(pool, "ann", "A-1");
    var before = same();

    api.place(pool, Api.token(), "ann", "A-1");
    api.place(pool, Api.token(), "ann", "A-1");

    assertThat(same()).isEqualTo(before + 2);
  }

  @Test
  @Requirement("IR-EC-13")
  void equal_requests_get_equal_refusals() {
    var pool = api.pool(4);
    api.hold(pool, "ann", "A-1", "A-2", "A-3");

    var bodies =
        IntStream.range(0, 20)
            .mapToObj(_ -> api.place(pool, Api.token(), "bob", "A-3", "A-4", "A-1", "A-2").body())
            .distinct();

    assertThat(bodies).hasSize(1);
  }

  /// In pools that are alike, with equal requests before them. All rows are equally good.
  @Test
  @Requirement("IR-EC-13")
  void equal_requests_for_best_available_get_equal_seats() {
    var rows = new SeatRowPools(api);

    var answers =
        Stream.generate(() -> rows.pool(6, 6, 6, 6, 6, 6))
            .limit(8)
            .map(
                pool ->
                    Stream.of(2, 3, 1, 2, 4)
                        .map(count -> SeatRowPools.items(rows.best(pool, count)))
                        .toList())
            .distinct();

    assertThat(answers).hasSize(1);
  }

  @Test
  @Requirement({"IR-EC-04", "IR-EC-07"})
  void the_documents_require_random_tokens_and_a_guessed_one_gets_nothing() throws IOException {
    var page = Files.readString(Folders.project().resolve("docs/tokens.md"));
    var pool = api.pool(2);

    var first = api.place(pool, "1", "ann", "A-1");
    var guessed = api.place(pool, "1", "bob", "A-2");

    assertThat(page).contains("at least 16 random bytes");
    assertThat(first.statusCode()).isEqualTo(201);
    assertThat(Api.code(guessed)).isEqualTo("token-collision");
  }

  @Test
  @Requirement("BR-T-5")
  void a_pool_sets_its_lease_and_the_documents_compare_short_and_long_ones() throws IOException {
    var page = Files.readString(Folders.project().resolve("docs/holds.md"));
    var pool = api.pool(1, "{\"leaseSeconds\":77}");

    var placed = api.place(pool, Api.token(), "ann", "A-1");

    assertThat(Api.time(placed, "leaseUntil"))
        .isEqualTo(Api.time(placed, "placedAt").plusSeconds(77));
    assertThat(page).contains("| too short |", "| too long |");
  }

  private static double same() {
    return Http.get(api.base(), "/prometheus")
        .body()
        .lines()
        .filter(line -> line.startsWith("holdfast_holds_total{outcome=\"same\"}"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }
}
