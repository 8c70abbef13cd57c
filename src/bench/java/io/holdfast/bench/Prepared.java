package io.holdfast.bench;

import io.holdfast.load.Requests;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Prepared requests, repeated in their order.
final class Prepared implements Requests {
  private final List<byte[]> requests;
  private int next;

  Prepared(List<String> requests) {
    this.requests =
        requests.stream().map(text -> text.getBytes(StandardCharsets.ISO_8859_1)).toList();
  }

  int size() {
    return requests.size();
  }

  @Override
  public void next(ByteBuffer out) {
    out.put(requests.get(next));
    next = next + 1 == requests.size() ? 0 : next + 1;
  }
}
