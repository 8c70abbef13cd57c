package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Stock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// What one requester holds or has bought, in pools of all kinds.
@ExtendWith(RealServers.class)
@Tag("cluster")
class RequesterHoldsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static Api api;

  @BeforeAll
  static void open(Service service) {
    api = Api.of(service);
  }

  @Test
  void holds_of_all_kinds_are_listed_in_pages() {
    var requester = "änn/" + UUID.randomUUID();
    var seats = api.pool(3);
    var stock = Stock.of(api, 10);
    var held = api.hold(seats, requester, "A-1");
    var units = stock.hold(requester, 2);
    var bought = stock.hold(requester, 1);
    api.confirm(bought, Api.token(), requester, "order-1");
    api.hold(seats, "somebody else", "A-2");

    // with more busy pools than are drained first, a line takes a second to Postgres
    Await.until(PATIENCE, () -> list(requester, "").size() == 3);
    var all = list(requester, "");
    assertThat(all.stream().map(Listed::id))
        .containsExactlyInAnyOrder(held.id(), units.id(), bought.id());
    assertThat(all.stream().map(Listed::state))
        .containsExactlyInAnyOrder("HELD", "HELD", "CONFIRMED");
    assertThat(list(requester, "?limit=1")).containsExactlyElementsOf(all);
  }

  @Test
  void other_callers_holds_are_not_listed() {
    var requester = "ann-" + UUID.randomUUID();
    api.hold(api.pool(1), requester, "A-1");

    var shown = api.as("another-shop", "hold").get("/v1/requesters/" + requester + "/holds");

    assertThat(Http.json(shown).get("holds")).isEmpty();
  }

  @Test
  void a_name_that_no_requester_has_and_a_page_that_no_link_names_are_refused() {
    for (var path :
        List.of("%00/holds", "a%0Ab/holds", "a".repeat(129) + "/holds", "ann/holds?after=x")) {
      var refused = api.get("/v1/requesters/" + path);

      assertThat(refused.statusCode()).as(path).isEqualTo(400);
    }
  }

  private record Listed(String id, String state) {}

  /// Follows the links.
  private static List<Listed> list(String requester, String query) {
    var listed = new ArrayList<Listed>();
    var name = requester.replace("ä", "%C3%A4").replace("/", "%2F");
    var path = "/v1/requesters/" + name + "/holds" + query;
    while (path != null) {
      var page = api.get(path);
      assertThat(page.statusCode()).as(page.body()).isEqualTo(200);
      for (var hold : Http.json(page).get("holds")) {
        listed.add(new Listed(hold.get("holdId").asText(), hold.get("state").asText()));
      }
      path =
          page.headers()
              .firstValue("Link")
              .map(link -> link.substring(link.indexOf('<') + 1, link.indexOf('>')))
              .orElse(null);
    }
    return listed;
  }
}
