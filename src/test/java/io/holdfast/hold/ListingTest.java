package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A list shows every hold once, in the order of placement, and includes the latest changes.
@ExtendWith(RealServers.class)
@Tag("cluster")
class ListingTest {
  private static Api api;

  @BeforeAll
  static void open(Service service) {
    api = Api.of(service);
  }

  @Test
  void following_the_links_lists_every_hold_once() {
    var pool = api.pool(25, "{\"maxHoldsPerRequester\":50}");
    var placed =
        IntStream.rangeClosed(1, 25).mapToObj(i -> api.hold(pool, "ann", "A-" + i).id()).toList();

    var pages = follow("/v1/pools/" + pool + "/holds?limit=10");

    assertThat(pages).extracting(List::size).containsExactly(10, 10, 5);
    assertThat(pages.stream().flatMap(List::stream)).containsExactlyElementsOf(placed);
  }

  @Test
  void a_filter_applies_to_all_pages() {
    var pool = api.pool(8, "{\"maxHoldsPerRequester\":50}");
    var ofAnn = new ArrayList<String>();
    for (var i = 1; i <= 8; i += 2) {
      ofAnn.add(api.hold(pool, "ann & co", "A-" + i).id());
      api.hold(pool, "ben", "A-" + (i + 1));
    }
    var released = ofAnn.removeFirst();
    api.release(released, Api.token(), "ann & co");

    var held = follow("/v1/pools/" + pool + "/holds?limit=2&state=HELD&requester=ann%20%26%20co");
    var ended = follow("/v1/pools/" + pool + "/holds?state=RELEASED");

    assertThat(held.stream().flatMap(List::stream)).containsExactlyElementsOf(ofAnn);
    assertThat(ended).containsExactly(List.of(released));
    assertThat(follow("/v1/pools/" + pool + "/holds?state=EXPIRED")).containsExactly(List.of());
  }

  @Test
  void an_answered_hold_is_in_the_next_list() {
    var pool = api.pool(1);

    for (var i = 0; i < 20; i++) {
      var hold = api.hold(pool, "ann", "A-1");
      var held = follow("/v1/pools/" + pool + "/holds?state=HELD");
      api.release(hold.id(), Api.token(), "ann");
      var afterwards = follow("/v1/pools/" + pool + "/holds?state=HELD");

      assertThat(held).containsExactly(List.of(hold.id()));
      assertThat(afterwards).containsExactly(List.of());
    }
  }

  @Test
  void a_heartbeat_shows_in_the_list() {
    var pool = api.pool(1);
    var hold = api.hold(pool, "ann", "A-1");
    api.get("/v1/pools/" + pool + "/holds");

    var beat = api.heartbeat(hold.id(), "ann", hold.fence());

    var listed = Http.json(api.get("/v1/pools/" + pool + "/holds")).at("/holds/0");
    assertThat(listed.get("leaseUntil")).isEqualTo(Http.json(beat).get("leaseUntil"));
    assertThat(listed).isEqualTo(Http.json(api.read(hold.id())));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "state=held",
        "state=GONE",
        "limit=0",
        "limit=501",
        "limit=x",
        "after=x",
        "after=%00",
        "requester=%00",
        "requester=%0A",
        "requester="
      })
  void an_invalid_query_is_refused(String query) {
    var pool = api.pool(1);

    var answer = api.get("/v1/pools/" + pool + "/holds?" + query);

    assertThat(answer.statusCode() + Api.code(answer)).isEqualTo("400invalid-request");
    assertThat(Http.json(answer).get("field").asText()).isEqualTo(query.split("=")[0]);
  }

  private static List<List<String>> follow(String first) {
    var pages = new ArrayList<List<String>>();
    for (var path = first; path != null; ) {
      var answer = api.get(path);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      pages.add(ids(answer));
      path =
          answer
              .headers()
              .firstValue("Link")
              .map(link -> link.replaceFirst("^<(.*)>; rel=\"next\"$", "$1"))
              .orElse(null);
    }
    return pages;
  }

  private static List<String> ids(HttpResponse<String> page) {
    return Http.json(page)
        .get("holds")
        .valueStream()
        .map(hold -> hold.get("holdId").asText())
        .toList();
  }
}
