package io.holdfast.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// Finds the end of one HTTP response in the bytes read so far, and the few header fields that a
/// measurement needs. A response with neither a length nor chunks is refused.
final class AnswerParser {
  private static final int STATUS_AT = "HTTP/1.1 ".length();
  private static final byte[] LENGTH = bytes("content-length:");
  private static final byte[] CODING = bytes("transfer-encoding:");
  private static final byte[] REPLAYED = bytes("idempotent-replayed:");
  private static final int UNKNOWN = -1;

  private int searched;
  private int bodyAt;
  private int length;
  private boolean isChunked;
  private boolean isReplay;
  private int status;
  private final Chunks chunks = new Chunks();

  AnswerParser() {
    reset();
  }

  /// Before the first byte of each answer.
  void reset() {
    searched = 0;
    bodyAt = UNKNOWN;
    length = UNKNOWN;
    isChunked = false;
    isReplay = false;
    status = 0;
  }

  /// Whether the bytes from 0 to the position of `in` are a whole answer.
  boolean isWhole(ByteBuffer in) {
    if (bodyAt == UNKNOWN && !findHead(in)) {
      return false;
    }
    return isChunked ? chunks.areWhole(in) : in.position() >= bodyAt + length;
  }

  int status() {
    return status;
  }

  boolean isReplay() {
    return isReplay;
  }

  /// The body of a whole answer; with its framing, if it came in chunks.
  String body(ByteBuffer in) {
    var bytes = new byte[in.position() - bodyAt];
    in.get(bodyAt, bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private boolean findHead(ByteBuffer in) {
    for (int i = searched; i + 3 < in.position(); i++) {
      if (in.get(i) == '\r' && in.get(i + 2) == '\r') {
        readHead(in, i + 2);
        return true;
      }
    }
    searched = Math.max(0, in.position() - 3);
    return false;
  }

  private void readHead(ByteBuffer in, int end) {
    bodyAt = end + 2;
    status = number(in, STATUS_AT);
    for (int line = nextLine(in, 0); line < end; line = nextLine(in, line)) {
      readLine(in, line);
    }
    if (isChunked) {
      chunks.begin(bodyAt);
    } else if (length == UNKNOWN) {
      throw new IllegalStateException("an answer of unknown length, status " + status);
    }
  }

  private void readLine(ByteBuffer in, int line) {
    if (startsWith(in, line, LENGTH)) {
      length = number(in, skipBlanks(in, line + LENGTH.length));
    } else if (startsWith(in, line, CODING)) {
      isChunked = true;
    } else if (startsWith(in, line, REPLAYED)) {
      isReplay = true;
    }
  }

  private static int nextLine(ByteBuffer in, int from) {
    var i = from;
    while (in.get(i) != '\n') {
      i++;
    }
    return i + 1;
  }

  private static boolean startsWith(ByteBuffer in, int at, byte[] lowerCaseName) {
    for (int i = 0; i < lowerCaseName.length; i++) {
      if ((in.get(at + i) | 0x20) != lowerCaseName[i]) { // that bit makes a letter small
        return false;
      }
    }
    return true;
  }

  private static int skipBlanks(ByteBuffer in, int from) {
    var i = from;
    while (in.get(i) == ' ') {
      i++;
    }
    return i;
  }

  private static int number(ByteBuffer in, int from) {
    var number = 0;
    for (int i = from; in.get(i) >= '0' && in.get(i) <= '9'; i++) {
      number = number * 10 + in.get(i) - '0';
    }
    return number;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
