package io.holdfast.web.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// What extends the time of a request: bytes of a body at the minimum rate, and a service that does
/// not read.
class IncomingRequestTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final int RATE = 1_000;

  private final IncomingRequest incoming =
      new IncomingRequest(
          new ConnectionSettings(
              1,
              Duration.ofSeconds(10),
              Duration.ofSeconds(20),
              Duration.ofSeconds(30),
              RATE,
              Duration.ofSeconds(60)));

  @Test
  void time_during_which_the_service_does_not_read_is_left_out() {
    incoming.endRead();
    assertThat(incoming.incomplete()).isEqualTo(IncomingRequest.Part.HEADER);
    assertThat(incoming.pause(0)).isTrue();

    assertThat(incoming.deadline(7 * SECOND)).isEqualTo(17 * SECOND);
    incoming.resume(7 * SECOND);

    assertThat(incoming.deadline(9 * SECOND)).isEqualTo(17 * SECOND);
  }

  @Test
  void bytes_of_a_body_extend_its_time_up_to_the_largest_body() {
    incoming.header(new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/"));
    incoming.endRead();
    incoming.pause(0);
    incoming.resume(0);
    assertThat(incoming.deadline(0)).isEqualTo(20 * SECOND);

    incoming.body(content(3 * RATE));
    assertThat(incoming.deadline(0)).isEqualTo(23 * SECOND);

    incoming.body(content(16 << 20));
    incoming.body(content(16 << 20));
    assertThat(incoming.deadline(0)).isEqualTo(20 * SECOND + (16L << 20) * SECOND / RATE);
  }

  @Test
  void bytes_of_a_header_extend_nothing() {
    incoming.endRead();
    incoming.pause(0);
    incoming.resume(0);
    incoming.endRead();

    assertThat(incoming.pause(5 * SECOND)).isFalse();
    incoming.resume(5 * SECOND);
    assertThat(incoming.deadline(6 * SECOND)).isEqualTo(10 * SECOND);
  }

  private static DefaultHttpContent content(int bytes) {
    return new DefaultHttpContent(Unpooled.wrappedBuffer(new byte[bytes]));
  }
}
