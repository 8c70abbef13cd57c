package io.holdfast.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class AnswerParserTest {
  private static final String HOLD =
      "HTTP/1.1 201 Created\r\nLocation: /v1/holds/1\r\nContent-Length: 9\r\n\r\n{\"a\":\"b\"}";
  private static final String IN_CHUNKS =
      "HTTP/1.1 409 Conflict\r\n"
          + "transfer-encoding: chunked\r\n\r\n"
          + "5\r\n"
          + "hello\r\n"
          + "B;x=y\r\n"
          + ", two words\r\n"
          + "0\r\n\r\n";

  private final AnswerParser parser = new AnswerParser();
  private final ByteBuffer in = ByteBuffer.allocate(1 << 10);

  @Test
  void a_response_is_complete_at_its_last_byte_and_not_before() {
    assertThat(bytesUntilWhole(HOLD)).isEqualTo(HOLD.length());

    assertThat(parser.status()).isEqualTo(201);
    assertThat(parser.isReplay()).isFalse();
    assertThat(parser.body(in)).isEqualTo("{\"a\":\"b\"}");
  }

  @Test
  void chunks_are_read_up_to_the_empty_one() {
    assertThat(bytesUntilWhole(IN_CHUNKS)).isEqualTo(IN_CHUNKS.length());

    assertThat(parser.status()).isEqualTo(409);
  }

  @Test
  void a_response_without_a_body_ends_with_its_headers() {
    var empty = "HTTP/1.1 200 OK\r\nCONTENT-LENGTH:0\r\n\r\n";

    assertThat(bytesUntilWhole(empty)).isEqualTo(empty.length());
  }

  @Test
  void the_replay_header_is_recognised_in_any_letter_case() {
    bytesUntilWhole(
        "HTTP/1.1 201 Created\r\nidempotent-Replayed: true\r\nContent-Length: 0\r\n\r\n");

    assertThat(parser.isReplay()).isTrue();
  }

  @Test
  void no_state_of_one_response_is_left_for_the_next() {
    bytesUntilWhole(
        "HTTP/1.1 201 Created\r\nIdempotent-Replayed: true\r\nContent-Length: 0\r\n\r\n");

    in.clear();
    parser.reset();

    assertThat(bytesUntilWhole(HOLD)).isEqualTo(HOLD.length());
    assertThat(parser.isReplay()).isFalse();
  }

  @Test
  void a_response_of_unknown_length_is_refused() {
    assertThatThrownBy(() -> bytesUntilWhole("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"))
        .hasMessageContaining("unknown length");
  }

  /// Feeds single bytes, the worst case of a network.
  private int bytesUntilWhole(String answer) {
    var bytes = answer.getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < bytes.length; i++) {
      in.put(bytes[i]);
      if (parser.isWhole(in)) {
        return i + 1;
      }
    }
    return -1;
  }
}
