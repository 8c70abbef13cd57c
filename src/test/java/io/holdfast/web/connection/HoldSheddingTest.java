package io.holdfast.web.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.serde.ObjectMapper;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Under overload new holds are refused at their header. Everything else passes.
class HoldSheddingTest {
  private static final String HOLDS = "/v1/pools/arena/holds";

  private @Nullable Duration retryAfter = Duration.ofMillis(1_200);
  private final EmbeddedChannel channel =
      new EmbeddedChannel(
          new HoldShedding(
              pool -> pool.equals("hall") ? null : retryAfter,
              new DirectResponses(ObjectMapper.getDefault())));

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  @Test
  void a_hold_is_refused_definitely_and_its_body_is_read_and_dropped() {
    send(post(HOLDS));

    var refusal = channel.<FullHttpResponse>readOutbound();
    assertThat(refusal.status()).isEqualTo(HttpResponseStatus.SERVICE_UNAVAILABLE);
    assertThat(refusal.headers().get(HttpHeaderNames.RETRY_AFTER)).isEqualTo("2");
    assertThat(refusal.content().toString(StandardCharsets.UTF_8))
        .contains("\"code\":\"overloaded\"", "\"definite\":true", "\"retryable\":true");
    assertThat(channel.isOpen()).isTrue();
    assertNothingPassed();
  }

  @Test
  void the_next_hold_on_the_connection_passes_once_the_overload_is_over() {
    send(post(HOLDS));
    retryAfter = null;

    send(post(HOLDS));

    assertPassed();
  }

  @Test
  void requests_of_holds_that_were_granted_pass() {
    send(post("/v1/holds/h-1/heartbeat"));
    assertPassed();
    respond();

    send(post("/v1/holds/h-1/confirm"));
    assertPassed();
    respond();

    send(new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/v1/pools/arena"));
    assertPassed();
  }

  @Test
  void holds_of_a_pool_that_is_not_overloaded_pass() {
    send(post("/v1/pools/hall/holds"));
    assertPassed();
  }

  @Test
  void a_client_that_takes_no_responses_is_left_to_the_server_which_stops_reading() {
    channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);

    send(post(HOLDS));

    assertPassed();
  }

  @Test
  void a_hold_behind_a_request_without_a_response_passes_since_responses_come_in_order() {
    send(post("/v1/holds/h-1/heartbeat"));
    assertPassed();

    send(post(HOLDS));
    assertPassed();

    respond();
    respond();
    send(post(HOLDS));
    assertThat(channel.<FullHttpResponse>readOutbound().status())
        .isEqualTo(HttpResponseStatus.SERVICE_UNAVAILABLE);
  }

  @Test
  void a_hold_whose_connection_would_have_to_be_closed_before_its_body_is_read_passes() {
    var closing = post(HOLDS);
    closing.headers().set(HttpHeaderNames.CONNECTION, "close");
    send(closing);
    assertPassed();
    respond();

    var careful = post(HOLDS);
    careful.headers().set(HttpHeaderNames.EXPECT, "100-continue");
    send(careful);
    assertPassed();
  }

  private static HttpRequest post(String path) {
    return new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, path);
  }

  private void send(HttpRequest request) {
    var body = Unpooled.copiedBuffer("{}", StandardCharsets.UTF_8);
    channel.writeInbound(request, new DefaultLastHttpContent(body));
  }

  private void respond() {
    channel.writeOutbound(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
    assertThat(channel.<FullHttpResponse>readOutbound().status()).isEqualTo(HttpResponseStatus.OK);
  }

  private void assertPassed() {
    assertThat(channel.<Object>readInbound()).isInstanceOf(HttpRequest.class);
    var body = channel.<DefaultLastHttpContent>readInbound();
    assertThat(body.content().readableBytes()).isPositive();
    body.release();
  }

  private void assertNothingPassed() {
    assertThat(channel.<Object>readInbound()).isNull();
  }
}
