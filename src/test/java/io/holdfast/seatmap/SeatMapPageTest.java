package io.holdfast.seatmap;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.LoadState;
import io.holdfast.app.Service;
import io.holdfast.embedded.EmbeddedServers;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtendWith;

/// The page shows the state of the server, also after failures of either.
@ExtendWith(RealServers.class)
@EnabledIf(
    value = "io.holdfast.seatmap.Chrome#isThere",
    disabledReason = "there is no Chromium here")
@Tag("slow")
class SeatMapPageTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int PORT = EmbeddedServers.freePort();

  private static TestServers servers;
  private static Service service;
  private static Api api;
  private static Chrome chrome;

  @BeforeAll
  static void open(TestServers given) {
    servers = given;
    service = start();
    api = new Api(service.http(), "hf_demo_key");
    chrome = Chrome.start();
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE.toMillis());
  }

  @AfterAll
  static void close() {
    Stream.of(chrome, service).forEach(SeatMapPageTest::close);
  }

  @AfterEach
  void nothing_came_from_elsewhere_and_nothing_broke() {
    assertThat(chrome.hosts()).containsOnly("localhost");
    assertThat(chrome.errors()).isEmpty();
  }

  @Test
  void of_two_requesters_of_one_seat_one_gets_it_and_the_other_sees_a_refusal() {
    var ann = visitor("/");
    var bob = visitor("/");

    seat(ann, "A-1").click();
    seat(bob, "A-1").click();

    assertThat(ann.locator(".hold h3")).hasText("A-1");
    assertThat(bob.locator("#refusal")).containsText("A-1 is taken: somebody was faster.");
    assertThat(bob.locator(".hold")).hasCount(0);
    assertState(ann, "A-1", "MINE");
    assertState(bob, "A-1", "HELD");
    ann.locator(".release").click();
    assertState(bob, "A-1", "FREE");
    assertThat(ann.locator(".hold")).hasCount(0);
  }

  @Test
  void keys_alone_lead_to_a_paid_seat() {
    var page = visitor("/");
    page.locator("#map .seat[tabindex='0']").focus();

    page.keyboard().press("ArrowRight");
    page.keyboard().press("ArrowDown");
    page.keyboard().press("Enter");
    assertThat(page.locator(".hold h3")).hasText("A-12");
    assertThat(seat(page, "A-12")).hasAttribute("aria-label", Pattern.compile("held by you$"));
    page.keyboard().press("Enter"); // leads to what is mine
    assertThat(page.locator(".hold")).isFocused();
    page.keyboard().press("Tab");
    page.keyboard().press("Tab");
    page.keyboard().press("Enter");

    assertThat(page.locator(".hold .until")).hasText("Sold to you, for good");
    assertState(page, "A-12", "BOUGHT");
    assertThat(api.stateOf("arena", "A-12")).isEqualTo("SOLD");
  }

  @Test
  @Requirement("AU-5")
  void a_declined_card_is_explained_and_another_card_pays_for_the_same_hold() {
    var page = visitor("/");
    page.locator("#section").selectOption("B");
    page.locator("#best button").click();
    assertThat(page.locator(".hold h3")).hasText("B-1, B-2");

    page.locator(".method select").selectOption("decline");
    page.locator(".pay").click();

    assertThat(page.locator("#refusal")).containsText("nothing is kept of your money");
    assertThat(page.locator("#refusal")).containsText("You can pay with another card until");
    assertThat(page.locator(".hold")).hasAttribute("data-state", "HELD");
    assertThat(page.locator(".method")).containsText("Another card");
    assertState(page, "B-2", "MINE");

    page.locator(".pay").click();

    assertThat(page.locator(".hold .until")).hasText("Sold to you, for good");
    assertState(page, "B-2", "BOUGHT");
  }

  @Test
  void a_seat_that_is_out_of_sale_says_so_and_cannot_be_chosen() {
    var pool = api.row(3, "{}");
    var page = visitor("/?pool=" + pool);

    api.post("/v1/pools/" + pool + "/blocks", Api.token(), "{\"items\":[\"A-2\"]}");
    assertState(page, "A-2", "BLOCKED");
    assertThat(seat(page, "A-2")).hasAttribute("aria-label", Pattern.compile("not on sale$"));
    assertThat(seat(page, "A-2")).hasAttribute("aria-disabled", "true");
    seat(page, "A-2").focus();
    page.keyboard().press("Enter");
    seat(page, "A-1").click();

    assertThat(page.locator(".hold h3")).hasText("A-1");
    assertThat(page.locator(".hold")).hasCount(1);
    assertThat(page.locator("#counts")).hasText("1 free, 1 held, 0 sold, 1 not on sale");
  }

  @Test
  void a_hold_that_lapses_is_over_on_the_page_as_well() {
    var pool = api.pool(4, "{\"leaseSeconds\":2,\"windowSeconds\":3,\"heartbeatSeconds\":1}");
    var page = visitor("/?pool=" + pool);

    seat(page, "A-2").click();

    assertThat(page.locator(".hold .until")).hasText("Your time is over");
    assertState(page, "A-2", "FREE");
    assertThat(page.locator("#refusal")).containsText("your time is over");
  }

  @Test
  void heartbeats_extend_the_lease_while_the_page_is_visible() {
    var pool = api.pool(1, "{\"leaseSeconds\":60,\"windowSeconds\":600,\"heartbeatSeconds\":1}");
    var page = visitor("/?pool=" + pool);
    seat(page, "A-1").click();
    var holdId = page.locator(".hold").getAttribute("data-hold");

    Await.until(
        PATIENCE,
        () -> {
          assertThat(page.locator(".hold")).hasAttribute("data-state", "HELD");
          var hold = api.read(holdId);
          var first = Api.time(hold, "placedAt").plusSeconds(60);
          return Api.time(hold, "leaseUntil").isAfter(first);
        });
  }

  @Test
  @Requirement("BR-K-2")
  void a_lost_answer_is_asked_for_again_under_the_same_key_also_after_a_refresh() {
    var pool = api.pool(3);
    var page = visitor("/?pool=" + pool);
    page.route("**/holds", SeatMapPageTest::loseTheAnswer);
    seat(page, "A-2").click();
    assertThat(page.locator("#news")).containsText("No answer yet");
    assertState(page, "A-2", "HELD"); // by ourselves, which the page does not know

    page.unroute("**/holds");
    page.reload();

    assertThat(page.locator(".hold h3")).hasText("A-2");
    assertState(page, "A-2", "MINE");
    page.reload();
    assertThat(page.locator(".hold h3")).hasText("A-2");
    assertThat(api.counts(pool)).isEqualTo("2 free, 1 held");
  }

  @Test
  void the_page_catches_up_after_a_restart_of_the_server() {
    var page = visitor("/");
    seat(page, "C-7").click();
    assertState(page, "C-7", "MINE");

    service.close();
    assertThat(page.locator("#link")).containsText("Catching up");
    service = start();
    assertThat(page.locator("#link")).hasText("Live");
    api.hold("arena", "somebody", "C-9");

    assertState(page, "C-9", "HELD");
    assertState(page, "C-7", "MINE");
  }

  @Test
  void the_page_shows_the_server_state_after_redis_has_lost_its_data() {
    var pool = api.pool(12);
    var page = visitor("/?pool=" + pool);
    seat(page, "A-5").click();
    assertState(page, "A-5", "MINE");

    servers.redis(RedisCommands::flushdb);
    api.hold(pool, "somebody", "A-6");

    assertState(page, "A-6", "HELD");
    Await.until(PATIENCE, () -> pageState(page, "A-5").equals(api.stateOf(pool, "A-5")));
  }

  private static Service start() {
    return RealServers.start(servers, Map.of("holdfast.demo", "true", "holdfast.port", PORT));
  }

  private static void close(AutoCloseable resource) {
    try {
      resource.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /// A page with a current map.
  private static Page visitor(String path) {
    var page = chrome.person(service.http(), path);
    page.waitForLoadState(LoadState.DOMCONTENTLOADED);
    assertThat(page.locator("#link")).hasText("Live");
    return page;
  }

  private static Locator seat(Page page, String item) {
    return page.locator(".seat[data-item='" + item + "']");
  }

  private static void assertState(Page page, String item, String state) {
    assertThat(seat(page, item)).hasAttribute("data-state", state);
  }

  /// As the server would call it.
  private static String pageState(Page page, String item) {
    var state = seat(page, item).getAttribute("data-state");
    return state.equals("MINE") ? "HELD" : state;
  }

  /// The server executes the request, and the page does not get the answer.
  private static void loseTheAnswer(Route route) {
    route.fetch();
    route.abort();
  }
}
