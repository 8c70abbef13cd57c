package io.holdfast.seatmap;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The last snapshot of one pool and a bounded list of the changes that led to it. A subscription
/// stores only its position, so slow ones cost no memory. A subscription that is too far behind
/// gets the snapshot again.
final class SeatMapFeed {
  /// The position of a subscription that has nothing yet.
  static final long NOWHERE = -1;

  static final int STEPS_MAX = 512;
  private static final int BYTES_MAX = 1 << 20;

  private final List<Step> steps = new ArrayList<>();
  private long first;
  private int bytes;
  private @Nullable SeatMapSnapshot current;
  private String id = "";
  private int corrections;
  private byte @Nullable [] snapshotFrame;

  /// @param from the id of the snapshot that it starts from
  private record Step(String from, byte[] frames) {}

  /// Frames for a subscription, and its position after them.
  record Piece(byte[] frames, long position, boolean isSnapshot) {}

  /// The number of the last snapshot, or 0.
  synchronized long number() {
    return current == null ? 0 : current.number();
  }

  /// The ETag of the last snapshot, or nothing.
  synchronized String etag() {
    return current == null ? "" : current.etag();
  }

  /// Returns whether there are changes to send. A snapshot may correct the last one under its
  /// number.
  synchronized boolean update(SeatMapSnapshot snapshot) {
    var before = current;
    current = snapshot;
    if (before == null) {
      id = new SnapshotEventId(snapshot, corrections).whole();
      return true;
    }
    var isCorrection = snapshot.number() == before.number();
    var next = new SnapshotEventId(snapshot, isCorrection ? corrections + 1 : 0);
    var frames = SseFrames.changes(before, snapshot, next);
    if (frames.length == 0) {
      corrections = isCorrection ? corrections : 0;
      return false; // the map is the same, so its id stays
    }
    add(new Step(id, frames), snapshot);
    id = next.whole();
    corrections = next.correction();
    snapshotFrame = null;
    return true;
  }

  /// The position after the event with this id, which any instance may have sent.
  synchronized long positionOf(@Nullable String lastId) {
    if (lastId == null) {
      return NOWHERE;
    }
    if (lastId.equals(id)) {
      return end();
    }
    for (var i = steps.size() - 1; i >= 0; i--) {
      if (steps.get(i).from.equals(lastId)) {
        return first + i;
      }
    }
    return NOWHERE;
  }

  /// Null if there is nothing to send.
  synchronized @Nullable Piece after(long position) {
    if (position == end() || current == null) {
      return null;
    }
    if (position < first) {
      if (snapshotFrame == null) {
        snapshotFrame = SseFrames.snapshot(id, current);
      }
      return new Piece(snapshotFrame, end(), true);
    }
    return new Piece(steps.get((int) (position - first)).frames, position + 1, false);
  }

  /// Drops the oldest steps beyond the bounds: steps larger than the snapshot are not worth
  /// keeping.
  private void add(Step step, SeatMapSnapshot snapshot) {
    steps.add(step);
    bytes += step.frames.length;
    while (steps.size() > STEPS_MAX || bytes > Math.max(BYTES_MAX, snapshot.body().length)) {
      bytes -= steps.removeFirst().frames.length;
      first++;
    }
  }

  private long end() {
    return first + steps.size();
  }
}
