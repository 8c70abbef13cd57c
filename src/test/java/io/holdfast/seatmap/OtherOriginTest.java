package io.holdfast.seatmap;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.sun.net.httpserver.HttpServer;
import io.holdfast.testing.Api;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtendWith;

/// A page of another origin in a real browser.
@ExtendWith(RealServers.class)
@EnabledIf("io.holdfast.seatmap.Chrome#isThere")
@Tag("slow")
class OtherOriginTest {
  private static final String BUY =
      """
      async ([service, key, pool]) => {
        const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
        const call = (path, more) => fetch(service + path, { method: "POST", headers: { ...headers, ...more } });
        const ticket = await (await call(`/v1/pools/${pool}/stream-tickets`)).json();
        const stream = new EventSource(
          `${service}/v1/pools/${pool}/stream?ticket=${encodeURIComponent(ticket.ticket)}`);
        const heard = (type) => new Promise((done) => stream.addEventListener(type, done, { once: true }));
        await heard("snapshot");
        const change = heard("change");
        const placed = await fetch(`${service}/v1/pools/${pool}/holds`, {
          method: "POST",
          headers: { ...headers, "Idempotency-Key": "from-afar" },
          body: JSON.stringify({ requester: "ann", items: ["A-1"] }),
        });
        const data = (await change).data;
        stream.close();
        const refused = await fetch(`${service}/v1/pools`);
        return [placed.status, placed.headers.get("Location") !== null, data, refused.status].join(" ");
      }
      """;

  private static final String TRY =
      """
      ([service, key]) => fetch(`${service}/v1/pools`, { headers: { Authorization: `Bearer ${key}` } })
          .then((answer) => `read ${answer.status}`, (failure) => failure.name)
      """;

  @Test
  @Requirement("AU-14")
  void a_configured_page_buys_and_listens_and_another_reads_nothing(TestServers servers)
      throws IOException {
    var shop = site();
    var strange = site();
    try (var service =
            RealServers.start(servers, Map.of("holdfast.cors-origins", address(shop).toString()));
        var chrome = Chrome.start()) {
      var api = Api.of(service);
      var pool = api.pool(1);
      var given = List.of(service.http().toString(), api.key(), pool);

      var bought = page(chrome, shop).evaluate(BUY, given);
      var read = page(chrome, strange).evaluate(TRY, given);

      assertThat(bought).isEqualTo("201 true {\"item\":\"A-1\",\"state\":\"HELD\"} 401");
      assertThat(read).isEqualTo("TypeError");
      assertThat(api.counts(pool)).isEqualTo("0 free, 1 held");
    } finally {
      shop.stop(0);
      strange.stop(0);
    }
  }

  private static Page page(Chrome chrome, HttpServer site) {
    return chrome.person(address(site), "/");
  }

  private static HttpServer site() throws IOException {
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 10);
    server.createContext(
        "/",
        exchange -> {
          var page = "<!doctype html><title>a shop</title>".getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "text/html");
          exchange.sendResponseHeaders(200, page.length);
          exchange.getResponseBody().write(page);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static URI address(HttpServer site) {
    return URI.create("http://localhost:" + site.getAddress().getPort());
  }
}
