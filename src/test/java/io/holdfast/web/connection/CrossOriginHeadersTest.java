package io.holdfast.web.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Requirement;
import io.micronaut.serde.ObjectMapper;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A refusal by the connection itself can be read by configured origins, too.
class CrossOriginHeadersTest {
  private static final String SHOP = "https://shop.example";

  private final EmbeddedChannel channel =
      new EmbeddedChannel(
          new CrossOriginHeaders(new CrossOriginSettings(Set.of(SHOP))),
          new HoldShedding(
              _ -> Duration.ofSeconds(2), new DirectResponses(ObjectMapper.getDefault())));

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  @Test
  @Requirement("AU-14")
  void a_configured_origin_can_read_that_the_service_is_overloaded() {
    place(SHOP);

    var refusal = channel.<FullHttpResponse>readOutbound();

    assertThat(refusal.status().code()).isEqualTo(503);
    assertThat(refusal.headers().get(HttpHeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN)).isEqualTo(SHOP);
    assertThat(refusal.headers().get(HttpHeaderNames.ACCESS_CONTROL_EXPOSE_HEADERS))
        .contains("Retry-After");
    refusal.release();
  }

  @Test
  void another_origin_cannot() {
    place("https://strange.example");

    var refusal = channel.<FullHttpResponse>readOutbound();

    assertThat(refusal.headers().get(HttpHeaderNames.VARY)).isEqualToIgnoringCase("origin");
    assertThat(refusal.headers().contains(HttpHeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN)).isFalse();
    refusal.release();
  }

  private void place(String origin) {
    var request =
        new DefaultFullHttpRequest(
            HttpVersion.HTTP_1_1, HttpMethod.POST, "/v1/pools/arena/holds", Unpooled.EMPTY_BUFFER);
    request.headers().set(HttpHeaderNames.ORIGIN, origin);
    channel.writeInbound(request);
  }
}
