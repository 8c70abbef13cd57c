package io.holdfast.seatmap;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import java.time.Instant;
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

/// The page shows an auction live, places bids, and lets the winner pay.
@ExtendWith(RealServers.class)
@EnabledIf(
    value = "io.holdfast.seatmap.Chrome#isThere",
    disabledReason = "there is no Chromium here")
@Tag("slow")
class AuctionPageTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration LONG = Duration.ofHours(2);
  private static final String BIDS = "**/bids";
  private static final String LEADER = "#leader-amount";
  private static final String STATE = "#lot-state";
  private static final String CARD = "#lot-holds .hold";

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
  void a_bidder_sees_that_another_leads_who_wins_and_pays() {
    var lot = auction(LONG, 5_000);
    var ann = visitor(lot);
    var bob = visitor(lot);
    assertThat(ann.locator("#closes-in")).hasText(Pattern.compile("1:59:\\d\\d"));
    assertThat(ann.locator("#amount")).hasValue("50.00");
    bid(ann, "60");
    assertThat(ann.locator(STATE)).hasText("You lead.");
    assertThat(bob.locator(LEADER)).hasText("€60.00");
    assertThat(bob.locator("#amount")).hasValue("63.00");

    bob.locator("#bid button").click();
    assertThat(ann.locator(LEADER)).hasText("€63.00");
    assertThat(ann.locator("#leader-bids")).hasText("2");
    assertThat(ann.locator(STATE)).hasText("You are outbid. Offer more to lead again.");
    assertThat(bob.locator(STATE)).hasText("You lead.");
    closeNow(lot);

    assertThat(ann.locator(STATE)).hasText("You have not won. The lot is sold for €63.00.");
    assertThat(ann.locator(CARD)).hasCount(0);
    assertThat(bob.locator(STATE)).hasText("You have won, for €63.00.");
    bob.locator(CARD + " .pay").click();
    assertThat(bob.locator(CARD + " .until")).hasText("Won and paid: yours for good");
    assertThat(bob.locator(CARD + " .pay")).isHidden();
    bob.reload();
    assertThat(bob.locator(CARD + " .until")).hasText("Won and paid: yours for good");
  }

  @Test
  void a_declined_payment_of_the_winner_can_be_repeated_with_another_card() {
    var lot = auction(LONG, 100);
    var page = visitor(lot);
    bid(page, "7.50");
    assertThat(page.locator(STATE)).hasText("You lead.");
    closeNow(lot);

    page.locator(CARD + " .method select").selectOption("decline");
    page.locator(CARD + " .pay").click();
    assertThat(page.locator("#refusal")).containsText("Not paid");
    page.locator(CARD + " .method select").selectOption("ok");
    page.locator(CARD + " .pay").click();

    assertThat(page.locator(CARD + " .until")).hasText("Won and paid: yours for good");
  }

  @Test
  void a_bid_is_raised_never_lowered_and_can_be_withdrawn() {
    var page = visitor(auction(LONG, 100));
    bid(page, "20");
    assertThat(page.locator(CARD + " h3")).hasText("Your bid of €20.00");
    assertThat(page.locator(STATE)).hasText("You lead."); // nothing moves any more

    bid(page, "10");
    assertThat(page.locator("#refusal")).containsText("a bid is never lowered");
    bid(page, "30");
    assertThat(page.locator(CARD + " h3")).hasText(new String[] {"Your bid of €30.00"});
    assertThat(page.locator(LEADER)).hasText("€30.00");
    page.locator(CARD + " .release").click();

    assertThat(page.locator(CARD)).hasCount(0);
    assertThat(page.locator(LEADER)).hasText("–");
    assertThat(page.locator("#leader-bids")).hasText("0");
  }

  @Test
  void an_auction_whose_reserve_is_not_met_closes_by_itself_without_a_sale() {
    var page = visitor(auction(Duration.ofSeconds(20), 90_000));
    bid(page, "20");
    assertThat(page.locator(STATE)).hasText("You lead.");

    assertThat(page.locator(STATE)).hasText("Closed without a sale: no bid has met the reserve.");
    assertThat(page.locator("#bid")).isHidden();
    assertThat(page.locator(CARD)).hasCount(0);
  }

  @Test
  void a_bid_is_unknown_until_its_answer_arrives_also_after_a_reload() {
    var page = visitor(auction(LONG, 100));
    page.route(
        BIDS,
        route -> {
          route.fetch();
          route.abort();
        });
    bid(page, "20");
    assertThat(page.locator("#bid-doubt"))
        .hasText("Not known yet whether your bid of €20.00 is placed. Asking again.");

    page.unroute(BIDS);
    page.reload();

    assertThat(page.locator(CARD + " h3")).hasText("Your bid of €20.00");
    assertThat(page.locator(STATE)).hasText("You lead.");
  }

  @Test
  void the_demo_has_an_auction_beside_its_other_pools() {
    var page = chrome.person(service.http(), "/");

    assertThat(page.locator("#lot-reserve")).hasText("Auction, from €100.00");
    assertThat(page.locator("#closes-in")).hasText(Pattern.compile("2[34]:\\d\\d:\\d\\d"));
    assertThat(page.locator("#lawn")).isVisible();
  }

  private static Page visitor(String pool) {
    var page = chrome.person(service.http(), "/?pool=" + pool);
    assertThat(page.locator("#link")).hasText("Live");
    return page;
  }

  private static void bid(Page page, String amount) {
    page.locator("#amount").fill(amount);
    page.locator("#bid button").click();
  }

  private static String auction(Duration open, long reserveCents) {
    var name = "lot-" + UUID.randomUUID();
    var body =
        "{\"pool\":\"%s\",\"kind\":\"AUCTION\",\"closesAt\":\"%s\",\"reserveCents\":%d}"
            .formatted(name, Instant.now().plus(open), reserveCents);
    var made = api.post("/v1/pools", Api.token(), body);
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    return name;
  }

  private static void closeNow(String pool) {
    var closed = api.post("/v1/pools/" + pool + "/close", Api.token(), "{}");
    assertThat(closed.statusCode()).as(closed.body()).isEqualTo(200);
  }
}
