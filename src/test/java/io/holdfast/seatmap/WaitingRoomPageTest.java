package io.holdfast.seatmap;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Stock;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtendWith;

/// The page shows a waiting room in the place of its pool until the visitor is admitted.
@ExtendWith(RealServers.class)
@EnabledIf(
    value = "io.holdfast.seatmap.Chrome#isThere",
    disabledReason = "there is no Chromium here")
@Tag("slow")
class WaitingRoomPageTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String QUEUE = "**/queue";
  private static final String ROOM = "#waiting";
  private static final String STATE = "#waiting-state";
  private static final String POSITION = "#waiting-position";
  private static final String SEAT = ".seat[data-item='A-1']";

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
  void the_first_of_two_is_admitted_and_holds_a_seat_while_the_second_waits_and_leaves() {
    var pool = seats(5, "");
    var ann = visitor(pool);
    var bob = visitor(pool);
    assertThat(ann.locator("#hall")).isHidden();
    join(ann, 1);
    assertThat(ann.locator(STATE)).hasText("You are next.");
    join(bob, 2);

    admit(pool);
    ann.locator(SEAT).click();

    assertThat(ann.locator("#holds h3")).hasText("A-1");
    assertThat(ann.locator("#pass-left")).hasText(Pattern.compile("[45]:\\d\\d"));
    assertThat(ann.locator(ROOM)).isHidden();
    assertThat(bob.locator(POSITION)).hasText("1");
    assertThat(bob.locator(STATE)).hasText("You are next.");
    assertThat(bob.locator("#waiting-progress")).hasJSProperty("value", 1);
    assertThat(bob.locator("#hall")).isHidden();
    bob.locator("#leave").click();
    assertThat(bob.locator(STATE)).containsText("You have left");
    join(bob, 1);
  }

  @Test
  void a_reload_keeps_the_place_and_the_admission() {
    var pool = seats(5, "");
    var ann = visitor(pool);
    var bob = visitor(pool);
    join(ann, 1);
    join(bob, 2);

    bob.reload();
    assertThat(bob.locator(POSITION)).hasText("2");
    admit(pool);
    assertThat(ann.locator("#hall")).isVisible();
    ann.reload();

    assertThat(ann.locator("#hall")).isVisible();
    assertThat(ann.locator("#pass")).isVisible();
  }

  @Test
  void who_waits_is_told_when_everything_is_sold() {
    var pool = Stock.of(api, 1, "{\"waitingRoom\":true}").pool();
    var ann = visitor(pool);
    var bob = visitor(pool);
    join(ann, 1);
    join(bob, 2);
    admit(pool);

    ann.locator("#quantity").selectOption("1");
    ann.locator("#take button").click();
    ann.locator(".confirm").click();

    assertThat(bob.locator(STATE)).containsText("Everything is sold.");
    assertThat(bob.locator("#leave")).isVisible();
    assertThat(bob.locator("#lawn")).isHidden();
  }

  @Test
  void without_a_valid_pass_the_waiting_room_comes_back_and_a_held_seat_stays() {
    var pool = seats(5, "");
    var page = visitor(pool);
    join(page, 1);
    admit(pool);
    page.locator(SEAT).click();
    assertThat(page.locator("#holds h3")).hasText("A-1");

    revokePass(page, pool);
    page.locator(".seat[data-item='A-2']").click();

    assertThat(page.locator("#refusal")).containsText("You are not admitted");
    assertThat(page.locator(STATE)).containsText("Your pass is over.");
    assertThat(page.locator("#hall")).isHidden();
    assertThat(page.locator("#holds h3")).hasText("A-1");
    page.locator(".confirm").click();
    assertThat(page.locator(".hold .until")).hasText("Sold to you, for good");
    page.locator("#join").click();
    assertThat(page.locator(POSITION)).hasText("1");
  }

  @Test
  void the_waiting_room_comes_back_when_the_time_of_the_pass_is_over() {
    var pool = seats(5, ",\"passSeconds\":8");
    var page = visitor(pool);
    join(page, 1);
    admit(pool);
    assertThat(page.locator("#hall")).isVisible();

    assertThat(page.locator(STATE)).containsText("Your pass is over.");
    assertThat(page.locator("#hall")).isHidden();
    assertThat(page.locator(ROOM)).isFocused();
  }

  @Test
  void a_place_is_unknown_until_the_answer_arrives_also_after_a_reload() {
    var pool = seats(5, "");
    var page = visitor(pool);
    page.route(
        QUEUE,
        route -> {
          route.fetch();
          route.abort();
        });
    page.locator("#join").click();
    assertThat(page.locator("#waiting-doubt"))
        .hasText("Not known yet whether you have a place. Asking again.");

    page.unroute(QUEUE);
    page.reload();

    assertThat(page.locator(POSITION)).hasText("1");
    assertThat(page.locator("#waiting-doubt")).isEmpty();
  }

  private static Page visitor(String pool) {
    var page = chrome.person(service.http(), "/?pool=" + pool);
    assertThat(page.locator("#join")).isVisible();
    return page;
  }

  private static void join(Page page, int position) {
    page.locator("#join").click();
    assertThat(page.locator(POSITION)).hasText("" + position);
    assertThat(page.locator("#link")).hasText("Live");
  }

  private static String seats(int count, String policy) {
    return api.pool(count, "{\"waitingRoom\":true%s}".formatted(policy));
  }

  private static void admit(String pool) {
    var admitted = api.post("/v1/pools/" + pool + "/admissions", Api.token(), "{\"count\":1}");
    assertThat(Http.json(admitted).get("admitted").asInt()).isOne();
  }

  private static void revokePass(Page page, String pool) {
    var kept = page.evaluate("name => sessionStorage.getItem(name)", "holdfast.ticket." + pool);
    var ticket = Http.json(kept.toString()).get("ticket").asText();
    var revoked = api.delete("/v1/queue/" + ticket + "/pass", Api.token());
    assertThat(revoked.statusCode()).as(revoked.body()).isEqualTo(200);
  }
}
