package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.RetryingClient;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The largest possible pool works like a small one.
@ExtendWith(RealServers.class)
class LargePoolTest {
  private static Api api;

  @BeforeAll
  static void open(Service service) {
    api = Api.of(service);
  }

  @Test
  void a_pool_of_a_hundred_thousand_items_is_created_counted_and_listed() {
    var items = IntStream.rangeClosed(1, 100_000).mapToObj(i -> "A-" + i).toList();
    var made = api.createPool("stadium", items, "{}");
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);

    var token = Api.token(); // bringing so much into Redis may take longer than one call waits
    RetryingClient.decided(() -> api.place("stadium", token, "ann", "A-1", "A-100000"));

    assertThat(api.counts("stadium")).isEqualTo("99998 free, 2 held");
    var shown = Http.json(api.get("/v1/pools/stadium/items")).get("items");
    assertThat(shown).hasSize(100_000);
    assertThat(shown.valueStream().filter(i -> i.get("state").asText().equals("HELD")))
        .extracting(i -> i.get("item").asText())
        .isEqualTo(List.of("A-1", "A-100000"));
  }

  @Test
  void one_more_item_is_refused() {
    var items = IntStream.rangeClosed(0, 100_000).mapToObj(i -> "A-" + i).toList();

    var refused = api.createPool("universe", items, "{}");

    assertThat(refused.statusCode() + Api.code(refused)).isEqualTo("400invalid-request");
    assertThat(Http.json(refused).get("field").asText()).isEqualTo("items");
  }
}
