package io.holdfast.seatmap;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What there is to tell of one pool: how it stands, and the last steps that led there, up to a
/// bound. Listeners keep nothing of it but a position, so however many there are and however slow,
/// this is all that is kept for them; who is too far behind is shown the present picture again.
final class SeatMapFeed {
  /// The position of one who has seen nothing yet.
  static final long NOWHERE = -1;

  static final int STEPS_MAX = 512;
  private static final int BYTES_MAX = 1 << 20;

  private final List<Step> steps = new ArrayList<>();
  private long first;
  private int bytes;
  private @Nullable SeatMapSnapshot shown;
  private String id = "";
  private int corrections;
  private byte @Nullable [] snapshot;

  /// @param from the id of the picture that it starts from
  private record Step(String from, byte[] frames) {}

  /// Something for a listener, and where it is afterwards.
  record Piece(byte[] frames, long position, boolean isSnapshot) {}

  /// The number of the last picture, or 0.
  synchronized long number() {
    return shown == null ? 0 : shown.number();
  }

  /// The tag of the last picture, or nothing.
  synchronized String tag() {
    return shown == null ? "" : shown.etag();
  }

  /// Whether there is something new to tell. A picture may correct the last one under its number.
  synchronized boolean show(SeatMapSnapshot picture) {
    var before = shown;
    shown = picture;
    if (before == null) {
      id = new SnapshotEventId(picture, corrections).whole();
      return true;
    }
    var isCorrection = picture.number() == before.number();
    var next = new SnapshotEventId(picture, isCorrection ? corrections + 1 : 0);
    var frames = SseFrames.changes(before, picture, next);
    if (frames.length == 0) {
      corrections = isCorrection ? corrections : 0;
      return false; // nobody needs a new id for the same map
    }
    add(new Step(id, frames), picture);
    id = next.whole();
    corrections = next.correction();
    snapshot = null;
    return true;
  }

  /// Where to go on for one who was told this id, on this instance or on another one.
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

  /// Null if there is nothing to tell yet.
  synchronized @Nullable Piece after(long position) {
    if (position == end() || shown == null) {
      return null;
    }
    if (position < first) {
      if (snapshot == null) {
        snapshot = SseFrames.snapshot(id, shown);
      }
      return new Piece(snapshot, end(), true);
    }
    return new Piece(steps.get((int) (position - first)).frames, position + 1, false);
  }

  /// Steps that would take more than the whole picture are not kept, nor is anything before them.
  private void add(Step step, SeatMapSnapshot picture) {
    steps.add(step);
    bytes += step.frames.length;
    while (steps.size() > STEPS_MAX || bytes > Math.max(BYTES_MAX, picture.body().length)) {
      bytes -= steps.removeFirst().frames.length;
      first++;
    }
  }

  private long end() {
    return first + steps.size();
  }
}
