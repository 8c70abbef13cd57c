package io.holdfast.seatmap;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Stock;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtendWith;

/// The page sells tickets of a stock and registers user names. A result that it does not know is
/// shown as unknown until the service has answered.
@ExtendWith(RealServers.class)
@EnabledIf(
    value = "io.holdfast.seatmap.Chrome#isThere",
    disabledReason = "there is no Chromium here")
@Tag("slow")
class TicketsAndNamesPageTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String HOLDS = "**/holds";
  private static final String CONFIRMS = "**/confirm";
  private static final String RESERVATIONS = "**/v1/reservations";
  private static final String REGISTRATION = "#register";
  private static final String NAME = "#name";
  private static final String NAME_STATE = "#name-state";
  private static final String REGISTERED_NAME = "#registered-name";

  private static Service service;
  private static Api api;
  private static Chrome chrome;

  @BeforeAll
  static void open(TestServers servers) {
    service = RealServers.start(servers, Map.of("holdfast.demo", "true"));
    api = new Api(service.http(), "hf_demo_key");
    chrome = Chrome.start();
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE.toMillis());
  }

  @AfterAll
  static void close() {
    chrome.close();
    service.close();
  }

  @AfterEach
  void nothing_came_from_elsewhere_and_nothing_broke() {
    assertThat(chrome.hosts()).containsOnly("localhost");
    assertThat(chrome.errors()).isEmpty();
  }

  @Test
  void a_demo_page_shows_one_pool_of_each_kind_and_counts_the_tickets_of_all_visitors() {
    var ann = visitor("/");
    var bob = visitor("/");
    assertThat(bob.locator("#hall .seat[data-item='A-1']")).isVisible();
    assertThat(bob.locator(REGISTRATION)).isVisible();
    assertCounts(bob, 500, 0, 0);

    hold(ann, 3);
    assertThat(ann.locator("#lawn-holds h3")).hasText("3 tickets");
    assertThat(ann.locator("#lawn-holds .price")).hasText("€45.00");
    assertThat(ann.locator("#lawn-holds .ring text")).hasText(Pattern.compile("1[45]:\\d\\d"));
    assertCounts(bob, 497, 3, 0);
    ann.locator("#lawn-holds .pay").click();

    assertThat(ann.locator("#lawn-holds .until")).hasText("Sold to you, for good");
    assertCounts(bob, 497, 0, 3);
    assertCounts(ann, 497, 0, 3);
  }

  @Test
  void released_tickets_are_free_and_more_than_are_free_are_refused() {
    var page = visitor("/?pool=" + Stock.of(api, 4).pool());
    hold(page, 3);
    assertCounts(page, 1, 3, 0);

    hold(page, 2);
    assertThat(page.locator("#refusal")).containsText("not so many free tickets");
    page.locator(".release").click();

    assertCounts(page, 4, 0, 0);
    assertThat(page.locator(".hold")).hasCount(0);
    assertThat(page.locator("#lawn")).isFocused();
  }

  @Test
  void tickets_whose_time_is_over_are_free_on_the_page_as_well() {
    var policy = "{\"leaseSeconds\":2,\"windowSeconds\":3,\"heartbeatSeconds\":1}";
    var page = visitor("/?pool=" + Stock.of(api, 4, policy).pool());

    hold(page, 2);

    assertThat(page.locator(".hold .until")).hasText("Your time is over");
    assertCounts(page, 4, 0, 0);
  }

  @Test
  void a_hold_of_tickets_is_unknown_until_its_answer_arrives_also_after_a_reload() {
    var stock = Stock.of(api, 9);
    var page = visitor("/?pool=" + stock.pool());
    page.route(HOLDS, TicketsAndNamesPageTest::loseTheAnswer);
    hold(page, 2);
    assertThat(page.locator("#lawn-state"))
        .containsText("Not known yet whether 2 tickets are held for you");
    assertThat(page.locator("#take button")).hasAttribute("aria-disabled", "true");
    assertCounts(page, 7, 2, 0);

    page.unroute(HOLDS);
    page.reload();

    assertThat(page.locator(".hold h3")).hasText("2 tickets");
    assertThat(page.locator("#lawn-state")).isEmpty();
    assertThat(stock.counts()).isEqualTo("7 2 0");
  }

  @Test
  void a_sale_of_tickets_is_unknown_until_its_answer_arrives() {
    var stock = Stock.of(api, 9);
    var page = visitor("/?pool=" + stock.pool());
    hold(page, 2);
    page.route(CONFIRMS, TicketsAndNamesPageTest::loseTheAnswer);

    page.locator(".confirm").click();
    assertThat(page.locator(".hold .until")).containsText("Not known yet");
    page.unroute(CONFIRMS);

    assertThat(page.locator(".hold .until")).hasText("Sold to you, for good");
    assertThat(stock.counts()).isEqualTo("7 0 2");
  }

  @Test
  void a_name_that_somebody_types_is_taken_for_others_and_another_is_free() {
    var type = names("{}");
    var ann = registrant(type);
    var bob = registrant(type);

    ann.locator(NAME).fill("ann");
    assertName(ann, "reserved", "ann is reserved for you.");
    assertThat(ann.locator("#name-left")).hasText(Pattern.compile("[12]:\\d\\d left"));
    bob.locator(NAME).fill("ann");
    assertName(bob, "taken", "ann is taken. Choose another name.");
    assertThat(bob.locator(NAME)).hasAttribute("aria-invalid", "true");
    bob.locator(NAME).fill("bob");

    assertName(bob, "reserved", "bob is reserved for you.");
    assertName(ann, "reserved", "ann is reserved for you.");
  }

  @Test
  void keys_alone_register_a_name_for_a_new_user() {
    var type = names("{}");
    var page = registrant(type);

    page.locator(NAME).focus();
    page.keyboard().type("dora");
    page.keyboard().press("Enter"); // before the page has asked for the name

    assertThat(page.locator(REGISTERED_NAME)).hasText("dora");
    assertThat(page.locator("#registered")).isFocused();
    var entity = page.locator("#registered-id").textContent();
    var found = Http.json(find(type, "dora"));
    assertThat(found.get("status").asText()).isEqualTo("confirmed");
    assertThat(found.get("entityId").asText()).isEqualTo(entity).startsWith("user-");
    page.keyboard().press("Tab");
    page.keyboard().press("Enter");
    assertThat(page.locator(NAME)).isFocused();
    page.keyboard().type("dora");
    assertName(page, "taken", "dora is taken. Choose another name.");
  }

  @Test
  void a_changed_or_cancelled_name_is_free_for_others() {
    var type = names("{}");
    var ann = registrant(type);
    var bob = registrant(type);
    ann.locator(NAME).fill("carol");
    assertName(ann, "reserved", "carol is reserved for you.");

    ann.locator(NAME).fill("carola");
    assertName(ann, "reserved", "carola is reserved for you.");
    bob.locator(NAME).fill("carol");
    assertName(bob, "reserved", "carol is reserved for you.");
    ann.locator("#cancel-name").click();
    assertName(ann, "released", "carola is released.");
    bob.locator(NAME).fill("carola");

    assertName(bob, "reserved", "carola is reserved for you.");
    assertThat(ann.locator(NAME)).hasValue("");
    assertThat(find(type, "carol").statusCode()).isEqualTo(404);
  }

  @Test
  void a_reservation_survives_a_reload_and_ends_with_its_time() {
    var type = names("{\"windowSeconds\":10}");
    var page = registrant(type);
    page.locator(NAME).fill("eve");
    assertName(page, "reserved", "eve is reserved for you.");

    page.reload();

    assertThat(page.locator(NAME)).hasValue("eve");
    assertName(page, "over", "Your time for eve is over. Register asks for it again.");
    page.locator("#register .first").click();
    assertThat(page.locator(REGISTERED_NAME)).hasText("eve");
  }

  @Test
  void a_reservation_is_unknown_until_its_answer_arrives() {
    var type = names("{}");
    var page = registrant(type);
    page.route(RESERVATIONS, TicketsAndNamesPageTest::loseTheAnswer);

    page.locator(NAME).fill("fay");
    assertName(page, "unknown", "Not known yet whether fay is reserved for you. Asking again.");
    assertThat(find(type, "fay").statusCode()).isEqualTo(200);
    page.unroute(RESERVATIONS);

    assertName(page, "reserved", "fay is reserved for you.");
  }

  @Test
  void a_registration_is_unknown_until_its_answer_arrives_also_after_a_reload() {
    var page = registrant(names("{}"));
    page.locator(NAME).fill("gus");
    assertName(page, "reserved", "gus is reserved for you.");
    page.route(CONFIRMS, TicketsAndNamesPageTest::loseTheAnswer);
    page.locator("#register .first").click();
    assertName(page, "unknown", "Not known yet whether gus is registered. Asking again.");

    page.unroute(CONFIRMS);
    page.reload();

    assertThat(page.locator(REGISTERED_NAME)).hasText("gus");
  }

  @Test
  void without_demo_mode_the_page_shows_only_the_pool_it_is_asked_for() {
    var stock = Stock.of(api, 9);
    var page = chrome.person(service.http(), "/health/liveness");
    page.route("**/demo.json", route -> route.fulfill(new Route.FulfillOptions().setStatus(404)));
    page.navigate(service.http().resolve("/").toString());

    page.locator("#key").fill("hf_demo_key");
    page.locator("#pool").fill("no-such-pool");
    page.locator("#door button").click();
    assertThat(page.locator("#refusal")).not().isEmpty();
    page.locator("#pool").fill(stock.pool());
    page.locator("#door button").click();

    assertCounts(page, 9, 0, 0);
    assertThat(page.locator("#door")).isHidden();
    assertThat(page.locator("#hall")).isHidden();
    assertThat(page.locator("#names")).isHidden();
    hold(page, 1);
    assertThat(page.locator(".hold h3")).hasText("1 ticket");
    assertThat(page.locator(".pay")).isHidden();
  }

  private static Page visitor(String path) {
    var page = chrome.person(service.http(), path);
    assertThat(page.locator("#link")).hasText("Live");
    return page;
  }

  private static Page registrant(String path) {
    var page = chrome.person(service.http(), path);
    assertThat(page.locator(REGISTRATION)).isVisible();
    return page;
  }

  /// Creates a pool of values and returns the path of its page.
  private static String names(String policy) {
    var name = "names-" + UUID.randomUUID();
    var body = "{\"pool\":\"%s\",\"kind\":\"UNIQUE\",\"policy\":%s}".formatted(name, policy);
    var made = api.post("/v1/pools", Api.token(), body);
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    return "/?pool=" + name;
  }

  private static HttpResponse<String> find(String path, String name) {
    var type = path.substring(path.indexOf('=') + 1);
    return api.get("/v1/reservations?type=" + type + "&value=" + name);
  }

  private static void hold(Page page, int tickets) {
    page.locator("#quantity").selectOption("" + tickets);
    page.locator("#take button").click();
  }

  private static void assertCounts(Page page, int free, int held, int sold) {
    assertThat(page.locator("#lawn-free")).hasText("" + free);
    assertThat(page.locator("#lawn-held")).hasText("" + held);
    assertThat(page.locator("#lawn-sold")).hasText("" + sold);
  }

  private static void assertName(Page page, String state, String sentence) {
    assertThat(page.locator(NAME_STATE)).hasText(sentence);
    assertThat(page.locator(REGISTRATION)).hasAttribute("data-state", state);
  }

  /// The server executes the request, and the page does not get the answer.
  private static void loseTheAnswer(Route route) {
    route.fetch();
    route.abort();
  }
}
