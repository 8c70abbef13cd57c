package io.holdfast.seatmap;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Folders;
import io.holdfast.testing.Stock;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;

/// Takes the screenshots of `docs/live.md` from a separate service: `./gradlew screenshots`.
final class Screenshots {
  private Screenshots() {}

  public static void main(String[] arguments) throws IOException {
    var data = Files.createTempDirectory("holdfast-screenshots");
    var settings =
        Map.<String, Object>of(
            "holdfast.port", 0,
            "holdfast.data", data.toString(),
            "holdfast.binaries", Folders.binaries().toString());
    try (var service = Service.start(settings);
        var chrome = Chrome.start()) {
      fill(new Api(service.http(), "hf_demo_key"));
      draw(chrome, service, "live-light", ColorScheme.LIGHT, 1_280, 1_110);
      draw(chrome, service, "live-dark", ColorScheme.DARK, 1_280, 1_110);
      draw(chrome, service, "live-narrow", ColorScheme.LIGHT, 400, 2_300);
      drawTheWaitingRoom(chrome, service);
      drawTheAuction(chrome, service);
    }
  }

  private static void drawTheWaitingRoom(Chrome chrome, Service service) {
    var api = new Api(service.http(), "hf_demo_key");
    var policy = "{\"waitingRoom\":true,\"admissionsPerMinute\":1}";
    var name = "premiere";
    api.createPool(name, List.of("A-1", "A-2"), policy);
    for (var i = 0; i < 8; i++) {
      var body = "{\"requester\":\"guest-%d\"}".formatted(i);
      api.post("/v1/pools/" + name + "/queue", Api.token(), body);
    }
    var page =
        chrome.person(service.http(), "/?pool=" + name, options(ColorScheme.LIGHT, 800, 480));
    page.locator("#join").click();
    assertThat(page.locator("#waiting-position")).not().isEmpty();
    var admit = api.post("/v1/pools/" + name + "/admissions", Api.token(), "{\"count\":2}");
    if (admit.statusCode() != 200) {
      throw new IllegalStateException(admit.body());
    }
    assertThat(page.locator("#waiting-progress")).not().hasJSProperty("value", 0);
    take(page, "live-waiting");
  }

  private static void drawTheAuction(Chrome chrome, Service service) {
    var api = new Api(service.http(), "hf_demo_key");
    var page = chrome.person(service.http(), "/?pool=lot", options(ColorScheme.LIGHT, 800, 620));
    page.locator("#amount").fill("120");
    page.locator("#bid button").click();
    assertThat(page.locator("#lot-state")).hasText("You lead.");
    var bid = "{\"requester\":\"guest-1\",\"amountCents\":13000}";
    api.post("/v1/pools/lot/bids", Api.token(), bid);
    assertThat(page.locator("#lot-state")).containsText("You are outbid.");
    take(page, "live-auction");
  }

  /// An evening that is half sold.
  private static void fill(Api api) {
    for (var i = 0; i < 34; i++) {
      var item = "ABC".charAt(i % 3) + "-" + (1 + i * 7 % 50);
      var hold = api.place("arena", Api.token(), "guest-" + i, item);
      if (hold.statusCode() == 201 && i % 4 != 0) {
        api.confirm(Api.Hold.of(hold), Api.token(), "guest-" + i, "order-" + i);
      }
      fillTheLawn(new Stock(api, "lawn"), "guest-" + i, i % 4 != 0);
    }
  }

  private static void fillTheLawn(Stock lawn, String guest, boolean isSold) {
    var hold = lawn.hold(guest, 8);
    if (isSold) {
      lawn.confirm(hold, guest, 8);
    }
  }

  private static void draw(
      Chrome chrome, Service service, String name, ColorScheme scheme, int width, int height) {
    var page = chrome.person(service.http(), "/", options(scheme, width, height));
    assertThat(page.locator("#link")).hasText("Live");
    page.locator("#best button").click();
    var seats = page.locator("#holds .hold");
    assertThat(seats).hasCount(1);
    page.locator("#holds .confirm").click();
    assertThat(seats.first()).hasAttribute("data-state", "CONFIRMED");
    page.locator("#section").selectOption("C");
    page.locator("#best button").click();
    assertThat(seats).hasCount(2);
    page.locator("#quantity").selectOption("3");
    page.locator("#take button").click();
    assertThat(page.locator("#lawn-holds .hold")).hasCount(1);
    page.locator("#name").fill("alice");
    assertThat(page.locator("#name-state")).hasText("alice is reserved for you.");
    take(page, name);
    page.locator("#cancel-name").click();
    for (var list : List.of("#holds", "#lawn-holds")) {
      page.locator(list + " .release:visible").click();
      assertThat(page.locator(list + " [data-state='HELD']")).hasCount(0);
    }
  }

  private static Browser.NewContextOptions options(ColorScheme scheme, int width, int height) {
    return new Browser.NewContextOptions()
        .setViewportSize(width, height)
        .setColorScheme(scheme)
        .setLocale("en-GB")
        .setReducedMotion(ReducedMotion.REDUCE);
  }

  private static void take(Page page, String name) {
    page.screenshot(
        new Page.ScreenshotOptions()
            .setPath(Folders.project().resolve("docs").resolve(name + ".png")));
  }
}
