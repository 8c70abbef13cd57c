package io.holdfast.web.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import org.junit.jupiter.api.Test;

/// What is refused also if a codec lets it pass.
class RequestFaultTest {

  @Test
  void a_length_beside_chunks_is_a_fault() {
    var request = chunked(HttpVersion.HTTP_1_1);
    request.headers().set(HttpHeaderNames.CONTENT_LENGTH, 2);

    assertThat(RequestFault.of(request)).isEqualTo(RequestFault.TWO_LENGTHS);
  }

  @Test
  void chunks_are_a_fault_in_an_old_version_only() {
    assertThat(RequestFault.of(chunked(HttpVersion.HTTP_1_0))).isEqualTo(RequestFault.TWO_LENGTHS);
    assertThat(RequestFault.of(chunked(HttpVersion.HTTP_1_1))).isNull();
  }

  private static HttpRequest chunked(HttpVersion version) {
    var request = new DefaultHttpRequest(version, HttpMethod.POST, "/v1/pools");
    request
        .headers()
        .set(HttpHeaderNames.HOST, "localhost")
        .set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    return request;
  }
}
