package io.holdfast.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The demo key is public: it exists in demo mode only, and the service then listens on loopback
/// only.
@ExtendWith(RealServers.class)
class DemoTest {
  /// Ours too, but not the one that a demo listens on.
  private static final String ANOTHER_LOOPBACK = "127.0.0.2";

  @TempDir Path folder;

  @Test
  void the_demo_key_works_in_demo_mode_and_is_gone_without_it(TestServers servers) {
    try (var demo = start(servers, Map.of("holdfast.demo", "true"))) {
      assertThat(new Keys(demo.http()).hold(ApiKeyCache.DEMO_KEY).body()).startsWith("demo on ");
    }

    try (var earnest = start(servers, Map.of("holdfast.demo", "false"))) {
      assertThat(new Keys(earnest.http()).hold(ApiKeyCache.DEMO_KEY).statusCode()).isEqualTo(401);
    }
  }

  @Test
  void servers_that_were_given_are_no_demo(TestServers servers) {
    try (var service = start(servers, Map.of())) {
      assertThat(service.context().getProperty("holdfast.demo", String.class)).hasValue("false");
      assertThat(new Keys(service.http()).hold(ApiKeyCache.DEMO_KEY).statusCode()).isEqualTo(401);
      assertThat(isOpen(ANOTHER_LOOPBACK, service)).isTrue();
    }
  }

  @Test
  void a_demo_listens_on_127_0_0_1_by_default(TestServers servers) {
    try (var demo = start(servers, Map.of("holdfast.demo", "true"))) {
      assertThat(isOpen("127.0.0.1", demo)).isTrue();
      assertThat(isOpen(ANOTHER_LOOPBACK, demo)).isFalse();
    }

    var told = Map.<String, Object>of("holdfast.demo", "true", "holdfast.host", "0.0.0.0");
    try (var demo = start(servers, told)) {
      assertThat(isOpen(ANOTHER_LOOPBACK, demo)).isTrue();
    }
  }

  @Test
  void a_demo_has_one_pool_of_each_kind_beside_those_that_were_there(TestServers servers) {
    servers.renewDatabase();
    servers.forgetHolds();
    try (var earlier = start(servers, Map.of("holdfast.demo", "false"))) {
      Api.of(earlier).createPool("arena", List.of("A-1"), "{}");
    }

    try (var demo = start(servers, Map.of("holdfast.demo", "true"))) {
      var arena = pool(demo, "arena");
      var lawn = pool(demo, "lawn");
      var names = pool(demo, "username");

      assertThat(arena.get("items").asInt()).isEqualTo(1);
      assertThat(lawn.get("kind").asText()).isEqualTo("STOCK");
      assertThat(lawn.get("capacity").asInt()).isEqualTo(500);
      assertThat(lawn.get("priceCents").asInt()).isEqualTo(1_500);
      assertThat(names.get("kind").asText()).isEqualTo("UNIQUE");
    }
  }

  private static JsonNode pool(Service demo, String name) {
    var answer = new Api(demo.http(), ApiKeyCache.DEMO_KEY).get("/v1/pools/" + name);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return Http.json(answer);
  }

  private Service start(TestServers servers, Map<String, Object> more) {
    var settings = new HashMap<>(servers.settings());
    settings.put("holdfast.data", folder.toString());
    settings.putAll(more);
    return Service.start(settings);
  }

  private static boolean isOpen(String host, Service service) {
    try (var socket = new Socket()) {
      socket.connect(new InetSocketAddress(host, service.http().getPort()), 2_000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
