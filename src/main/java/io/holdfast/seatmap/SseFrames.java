package io.holdfast.seatmap;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;

/// The frames of server-sent events, written once for all subscriptions.
final class SseFrames {
  static final byte[] HEARTBEAT = ": still here\n\n".getBytes(UTF_8);
  static final byte[] NOTHING_MISSED = ": nothing missed\n\n".getBytes(UTF_8);
  static final byte[] OUTAGE_OVER = "event: status\ndata: {\"live\":true}\n\n".getBytes(UTF_8);

  /// How long a browser waits before it reconnects.
  private static final int RETRY_MS = 1_000;

  private SseFrames() {}

  static byte[] snapshot(String id, SeatMapSnapshot snapshot) {
    var head = "event: snapshot\nid: %s\nretry: %d\ndata: ".formatted(id, RETRY_MS).getBytes(UTF_8);
    var bytes = new ByteArrayOutputStream(head.length + snapshot.body().length + 2);
    bytes.writeBytes(head);
    bytes.writeBytes(snapshot.body()); // JSON in one line
    bytes.writeBytes("\n\n".getBytes(UTF_8));
    return bytes.toByteArray();
  }

  /// One event for each item whose state has changed, then one for the summary; empty if nothing
  /// has.
  ///
  /// @param id of the snapshot after the changes
  static byte[] changes(SeatMapSnapshot before, SeatMapSnapshot after, SnapshotEventId id) {
    var indexes = new ArrayList<Integer>();
    for (var index = 0; index < after.states().size(); index++) {
      var isNew = index >= before.states().size(); // items may be added
      if (isNew || before.states().get(index) != after.states().get(index)) {
        indexes.add(index);
      }
    }
    var text = new StringBuilder();
    var isSummaryChanged = !before.summary().equals(after.summary());
    for (var index : indexes) {
      var isLast = index.equals(indexes.getLast()) && !isSummaryChanged;
      text.append("event: change\nid: ")
          .append(isLast ? id.whole() : id.upTo(index))
          .append("\ndata: {\"item\":\"")
          .append(JsonStringEncoder.getInstance().quoteAsString(after.items().get(index)))
          .append("\",\"state\":\"")
          .append(after.states().get(index))
          .append("\"}\n\n");
    }
    if (isSummaryChanged) {
      text.append("event: change\nid: ")
          .append(id.whole())
          .append("\ndata: {")
          .append(after.summary())
          .append("}\n\n");
    }
    return text.toString().getBytes(UTF_8);
  }

  /// Says that the pool cannot be read, so that clients know that the map may be old.
  ///
  /// @param why a text of this service, which needs no escaping
  static byte[] outage(String why) {
    return "event: status\ndata: {\"live\":false,\"why\":\"%s\"}\n\n"
        .formatted(why)
        .getBytes(UTF_8);
  }
}
