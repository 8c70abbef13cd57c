package io.holdfast.seatmap;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;

/// Events as they go over the wire, written once for all who listen.
final class SseFrames {
  static final byte[] HEARTBEAT = ": still here\n\n".getBytes(UTF_8);
  static final byte[] NOTHING_MISSED = ": nothing missed\n\n".getBytes(UTF_8);
  static final byte[] SEEING_AGAIN = "event: status\ndata: {\"live\":true}\n\n".getBytes(UTF_8);

  /// Milliseconds after which a browser whose stream has ended asks again.
  private static final int RETRY_MS = 1_000;

  private SseFrames() {}

  static byte[] snapshot(String id, SeatMapSnapshot picture) {
    var head = "event: snapshot\nid: %s\nretry: %d\ndata: ".formatted(id, RETRY_MS).getBytes(UTF_8);
    var bytes = new ByteArrayOutputStream(head.length + picture.body().length + 2);
    bytes.writeBytes(head);
    bytes.writeBytes(picture.body()); // JSON in one line
    bytes.writeBytes("\n\n".getBytes(UTF_8));
    return bytes.toByteArray();
  }

  /// One event for each item that stands otherwise than before; empty if none does.
  ///
  /// @param id of the picture after them
  static byte[] changes(SeatMapSnapshot before, SeatMapSnapshot after, SnapshotEventId id) {
    var places = new ArrayList<Integer>();
    for (var place = 0; place < after.states().size(); place++) {
      if (before.states().get(place) != after.states().get(place)) {
        places.add(place);
      }
    }
    var text = new StringBuilder();
    for (var place : places) {
      var isLast = place.equals(places.getLast());
      text.append("event: change\nid: ")
          .append(isLast ? id.whole() : id.upTo(place))
          .append("\ndata: {\"item\":\"")
          .append(JsonStringEncoder.getInstance().quoteAsString(after.items().get(place)))
          .append("\",\"state\":\"")
          .append(after.states().get(place))
          .append("\"}\n\n");
    }
    return text.toString().getBytes(UTF_8);
  }

  /// For as long as a server is away the last picture may be an old one, and listeners know it.
  ///
  /// @param why in words of ours
  static byte[] seeingNothing(String why) {
    return "event: status\ndata: {\"live\":false,\"why\":\"%s\"}\n\n"
        .formatted(why)
        .getBytes(UTF_8);
  }
}
