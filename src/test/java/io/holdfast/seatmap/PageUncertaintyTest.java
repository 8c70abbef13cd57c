package io.holdfast.seatmap;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Date;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The page shows when the payment, the map or the connection is uncertain.
@ExtendWith(RealServers.class)
@EnabledIf(
    value = "io.holdfast.seatmap.Chrome#isThere",
    disabledReason = "there is no Chromium here")
@Tag("slow")
class PageUncertaintyTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String CHECKOUTS = "**/v1/checkouts";
  private static final String ONE_CHECKOUT = "**/v1/checkouts/c-1";

  private static TestServers servers;
  private static RSAKey key;
  private static Service service;
  private static Api api;
  private static Chrome chrome;

  @BeforeAll
  static void open(TestServers given, @TempDir Path folder) throws IOException, JOSEException {
    servers = given;
    key = new RSAKeyGenerator(2048).keyID("rsa-1").generate();
    var keys = Files.writeString(folder.resolve("keys.json"), new JWKSet(key).toString(true));
    service =
        RealServers.start(
            servers, Map.of("holdfast.demo", "true", "holdfast.jwks", keys.toString()));
    api = Api.of(service);
    chrome = Chrome.start();
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE.toMillis());
  }

  @AfterAll
  static void close() {
    chrome.close();
    service.close();
  }

  @AfterEach
  void nothing_broke() {
    assertThat(chrome.errors()).isEmpty();
  }

  @Test
  void a_payment_whose_answers_are_lost_is_shown_as_unknown() {
    var page = payer();
    page.route(CHECKOUTS, Route::abort);

    page.locator(".pay").click();

    assertThat(toldInTime(page)).contains("A-1", "not known yet").doesNotContain("Not paid");
  }

  @Test
  void a_payment_that_runs_for_more_than_two_minutes_is_shown_as_unknown() {
    var page = payer();
    page.route(CHECKOUTS, route -> answer(route, 202, "STARTED"));
    page.route(ONE_CHECKOUT, route -> answer(route, 200, "AUTHORISED"));

    page.locator(".pay").click();

    assertThat(toldInTime(page)).contains("A-1", "not known yet").doesNotContain("Not paid");
  }

  @Test
  void a_stuck_payment_is_shown_as_needing_an_operator() {
    var page = payer();
    page.route(CHECKOUTS, route -> answer(route, 409, "STUCK"));

    page.locator(".pay").click();

    assertThat(toldInTime(page)).contains("A-1", "somebody").doesNotContain("Not paid");
  }

  @Test
  void a_payment_undone_later_is_shown_as_not_paid() {
    var page = payer();
    page.route(CHECKOUTS, route -> answer(route, 202, "STARTED"));
    page.route(ONE_CHECKOUT, route -> answer(route, 200, "COMPENSATED"));

    page.locator(".pay").click();

    assertThat(toldInTime(page)).contains("Not paid, and nothing is kept of your money");
  }

  @Test
  void a_reconnect_while_the_servers_are_unavailable_does_not_show_the_map_as_live() {
    try (var wire = FaultProxy.before(servers.redisUri());
        var blind = blindable(wire)) {
      var page = chrome.person(blind.http(), "/");
      var link = page.locator("#link");
      assertThat(link).hasText("Live");

      wire.cut();
      assertThat(link).containsText("Catching up: ");
      assertThat(link).containsText("Connection lost"); // the stream has reached its age
      assertThat(link).not().containsText("Connection lost");

      assertThat(link.textContent()).contains("Catching up: ");
      wire.heal();
      assertThat(link).hasText("Live");
    }
  }

  @Test
  void a_page_opened_while_the_service_is_unavailable_retries_until_it_answers() {
    var refusals = new AtomicInteger(2);
    var page = chrome.person(service.http(), "/health/liveness");
    page.route(
        "**/v1/pools/arena",
        route -> {
          if (refusals.getAndDecrement() > 0) {
            route.fulfill(new Route.FulfillOptions().setStatus(503).setBody("{}"));
          } else {
            route.resume();
          }
        });

    page.navigate(service.http().resolve("/").toString());

    assertThat(page.locator("#link")).hasText("Live");
    assertThat(refusals).hasNegativeValue();
  }

  @Test
  void a_subject_that_is_not_ascii_is_shown_unchanged() throws JOSEException {
    var pool = api.pool(1);
    var page = chrome.person(service.http(), "/health/liveness");
    page.route("**/demo.json", route -> route.fulfill(new Route.FulfillOptions().setStatus(404)));
    page.navigate(service.http().resolve("/?pool=" + pool).toString());

    page.locator("#key").fill(jwt("Zoë Ωmega"));
    page.locator("#door button").click();

    assertThat(page.locator("#me")).hasText("You are Zoë Ωmega.");
    page.locator(".seat[data-item='A-1']").click();
    assertThat(page.locator(".hold h3")).hasText("A-1");
  }

  /// A page with a held seat and a clock that the test moves.
  private static Page payer() {
    var pool = api.pool(1);
    var page = chrome.person(service.http(), "/health/liveness");
    page.clock().install();
    page.navigate(service.http().resolve("/?pool=" + pool).toString());
    page.locator(".seat[data-item='A-1']").click();
    assertThat(page.locator(".hold h3")).hasText("A-1");
    return page;
  }

  /// Advances the page's clock until it shows the end.
  private static String toldInTime(Page page) {
    var told = page.locator("#refusal");
    Await.until(
        PATIENCE,
        () -> {
          page.clock().runFor(500);
          return !told.textContent().isEmpty();
        });
    return told.textContent();
  }

  private static void answer(Route route, int status, String state) {
    var body = "{\"checkoutId\":\"c-1\",\"state\":\"%s\",\"definite\":true}".formatted(state);
    route.fulfill(new Route.FulfillOptions().setStatus(status).setBody(body));
  }

  private static Service blindable(FaultProxy wire) {
    return RealServers.start(
        servers,
        Map.of(
            "holdfast.demo", "true",
            "redis.uri", wire.insteadOf(servers.redisUri()),
            "redis.command-timeout", "250ms",
            "holdfast.live-heartbeat", "200ms",
            "holdfast.live-life", "4s"));
  }

  private static String jwt(String subject) throws JOSEException {
    var claims =
        new JWTClaimsSet.Builder()
            .subject(subject)
            .claim("scope", "hold commit")
            .expirationTime(Date.from(Clock.systemUTC().instant().plusSeconds(300)))
            .build();
    var jwt =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).build(), claims);
    jwt.sign(new RSASSASigner(key));
    return jwt.serialize();
  }
}
