package io.holdfast.seatmap;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.holdfast.app.Service;
import io.holdfast.pass.StreamTickets;
import io.holdfast.pool.PoolName;
import io.holdfast.stream.IdKeys;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.micronaut.http.HttpMethod;
import io.micronaut.web.router.Router;
import io.micronaut.web.router.UriRouteInfo;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

/// A stream ticket opens the stream of its pool for a short time, and nothing else.
@ExtendWith(RealServers.class)
class StreamTicketTest {
  private static TestServers servers;
  private static Service service;
  private static Api api;

  @BeforeAll
  static void open(TestServers given, Service shared) {
    servers = given;
    service = shared;
    api = Api.of(shared);
  }

  @Test
  @Requirement("AU-14")
  void a_ticket_opens_the_stream_of_its_pool_on_every_instance_without_a_key() {
    var pool = api.pool(1);
    var ticket = ticket(pool);
    try (var other = RealServers.start(servers, Map.of());
        var here = Listening.by(service.http(), pool, ticket);
        var there = Listening.by(other.http(), pool, ticket)) {
      api.hold(pool, "ann", "A-1");
      here.awaitEvents(2);
      there.awaitEvents(2);

      assertThat(here.map()).containsEntry("A-1", "HELD");
      assertThat(there.map()).containsEntry("A-1", "HELD");
    }
  }

  @Test
  @Requirement("AU-14")
  void a_ticket_is_valid_for_a_minute() {
    var pool = api.pool(1);
    var keys = service.context().getBean(IdKeys.class);
    var clock = service.context().getBean(Clock.class);

    var issued = issue(pool);
    var minute = Duration.between(clock.instant(), Instant.parse(text(issued, "expiresAt")));
    var ended = new StreamTickets(keys, Clock.offset(clock, Duration.ofSeconds(-61)));

    assertThat(minute).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(60));
    assertThat(issued.headers().firstValue("Cache-Control")).hasValue("no-store");
    assertRefused(stream(pool, ended.issue(new PoolName(pool)).ticket()));
  }

  @Test
  @Requirement("AU-14")
  void a_ticket_of_another_pool_or_with_another_content_is_refused() {
    var pool = api.pool(1);
    var other = api.pool(1);
    var ticket = ticket(pool);
    var later = ticket.replaceFirst("\\.([0-9a-z]{6,7})\\.", ".zzzzzz.");

    assertRefused(stream(other, ticket));
    assertRefused(stream(other, ticket.replace(pool, other)));
    assertThat(later).isNotEqualTo(ticket);
    assertRefused(stream(pool, later));
    assertRefused(stream(pool, ticket.substring(0, ticket.length() - 1)));
    assertRefused(stream(pool, ticket.substring(0, ticket.length() - 22) + "A".repeat(22)));
    assertRefused(stream(pool, ""));
  }

  /// Whatever routes there will be, this test finds them by itself.
  @Test
  @Requirement("AU-14")
  void a_ticket_gives_no_other_right() {
    var pool = api.pool(1);
    var ticket = ticket(pool);
    var asked = 0;

    for (var route :
        service
            .context()
            .getBean(Router.class)
            .uriRoutes()
            .filter(StreamTicketTest::isOurs)
            .toList()) {
      var path = route.getUriMatchTemplate().toPathString();
      if (path.equals("/v1/pools/{pool}/stream")) {
        continue;
      }
      var concrete = path.replace("{pool}", pool).replaceAll("\\{.*?}", "x");
      var method = route.getHttpMethodName();
      var inQuery = send(method, concrete + "?ticket=" + ticket);
      var asKey = send(method, concrete, "Authorization", "Bearer " + ticket);

      assertThat(List.of(inQuery.statusCode(), asKey.statusCode()))
          .as(method + " " + path + inQuery.body())
          .containsOnly(401);
      asked++;
    }
    assertThat(asked).isGreaterThan(40);
    assertRefused(
        Http.get(api.base(), "/v1/pools/" + pool + "/stream", "Authorization", "Bearer " + ticket));
  }

  @Test
  void a_ticket_is_given_for_an_existing_pool_to_callers_and_is_stored_nowhere() {
    var pool = api.pool(1);
    var records = new Records(servers, api);
    var words = records.words(pool);
    var tokens = records.tokens(pool);

    assertThat(issue(pool).statusCode()).isEqualTo(200);

    assertThat(records.words(pool)).isEqualTo(words);
    assertThat(records.tokens(pool)).isEqualTo(tokens);
    assertThat(issue("nowhere").statusCode()).isEqualTo(404);
    assertThat(Http.post(api.base(), "/v1/pools/" + pool + "/stream-tickets", "").statusCode())
        .isEqualTo(401);
  }

  @Test
  @Requirement("AU-14")
  void no_ticket_is_logged() {
    var log = new ListAppender<ILoggingEvent>();
    var ours = (Logger) LoggerFactory.getLogger("io.holdfast");
    var level = ours.getLevel();
    log.list = new CopyOnWriteArrayList<>(); // tasks log while it is read
    log.start();
    ours.addAppender(log);
    ours.setLevel(Level.TRACE);
    try {
      var pool = api.pool(1);
      var ticket = ticket(pool);
      Listening.by(service.http(), pool, ticket).awaitEvents(1).close();
      stream(pool, ticket + "x");

      assertThat(log.list).noneMatch(line -> line.getFormattedMessage().contains(ticket));
    } finally {
      ours.setLevel(level);
      ours.detachAppender(log);
    }
  }

  private static boolean isOurs(UriRouteInfo<?, ?> route) {
    var path = route.getUriMatchTemplate().toPathString();
    return path.startsWith("/v1/")
        && !path.startsWith("/v1/event-types/")
        && !path.endsWith("/notices") // signed by the provider
        && route.getHttpMethod() != HttpMethod.HEAD
        && route.getHttpMethod() != HttpMethod.OPTIONS;
  }

  private static HttpResponse<String> send(String method, String path, String... headers) {
    return method.equals("GET")
        ? Http.get(api.base(), path, headers)
        : Http.send(api.base(), method, path, "{}", headers);
  }

  private static HttpResponse<String> stream(String pool, String ticket) {
    return Http.get(api.base(), "/v1/pools/" + pool + "/stream?ticket=" + ticket);
  }

  private static HttpResponse<String> issue(String pool) {
    var path = "/v1/pools/" + pool + "/stream-tickets";
    return Http.post(api.base(), path, "", "Authorization", "Bearer " + api.key());
  }

  private static String ticket(String pool) {
    return text(issue(pool), "ticket");
  }

  private static String text(HttpResponse<String> answer, String field) {
    return Http.json(answer).path(field).asText();
  }

  private static void assertRefused(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(401);
    assertThat(Api.code(answer)).isEqualTo("unauthenticated");
  }
}
