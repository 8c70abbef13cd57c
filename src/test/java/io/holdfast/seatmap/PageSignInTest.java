package io.holdfast.seatmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The inputs that the page needs before it can show a map.
@ExtendWith(RealServers.class)
class PageSignInTest {
  private static final Pattern NEXT = Pattern.compile("<([^>]+)>; rel=\"next\"");

  @Test
  void the_demo_key_is_shown_only_in_demo_mode(TestServers servers, Service plain) {
    try (var demo = RealServers.start(servers, Map.of("holdfast.demo", "true"))) {
      var told = Http.get(demo.http(), "/demo.json");
      var withIt =
          Http.get(
              demo.http(),
              "/v1/pools",
              "Authorization",
              "Bearer " + Http.json(told).get("key").asText());

      assertThat(told.statusCode()).isEqualTo(200);
      assertThat(told.headers().firstValue("Cache-Control")).contains("no-store");
      assertThat(withIt.statusCode()).isEqualTo(200);
    }

    var refused = Http.get(plain.http(), "/demo.json");

    assertThat(refused.statusCode()).isEqualTo(404);
    assertThat(Api.code(refused)).isEqualTo("not-known");
    assertThat(refused.body()).doesNotContain("hf_");
  }

  @Test
  void a_catalogue_is_read_page_by_page_in_the_order_of_the_pool(Service service) {
    var api = Api.of(service);
    var pool = api.pool(25);
    var seen = new ArrayList<String>();

    var next = "/v1/pools/" + pool + "/catalogue?limit=10";
    var pages = 0;
    while (next != null) {
      var page = api.get(next);
      assertThat(page.statusCode()).as(page.body()).isEqualTo(200);
      Http.json(page).get("items").forEach(item -> seen.add(item.get("item").asText()));
      var link = NEXT.matcher(page.headers().firstValue("Link").orElse(""));
      next = link.find() ? link.group(1) : null;
      pages++;
    }

    assertThat(pages).isEqualTo(3);
    assertThat(seen).isEqualTo(items(api, pool)).hasSize(25).doesNotHaveDuplicates();
  }

  @Test
  void a_catalogue_is_for_callers_and_of_pools_that_are_there(Service service) {
    var api = Api.of(service);

    assertThat(Http.get(service.http(), "/v1/pools/arena/catalogue").statusCode()).isEqualTo(401);
    assertThat(api.get("/v1/pools/nowhere/catalogue").statusCode()).isEqualTo(404);
    assertThat(api.get("/v1/pools/" + api.pool(1) + "/catalogue?limit=0").statusCode())
        .isEqualTo(400);
  }

  private static List<String> items(Api api, String pool) {
    var items = Http.json(api.get("/v1/pools/" + pool + "/items")).get("items");
    return IntStream.range(0, items.size())
        .mapToObj(i -> items.get(i).get("item").asText())
        .toList();
  }
}
