package io.holdfast.waiting;

import io.holdfast.pool.PoolName;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/// When each waiting room has its next turn. Requesters join while a turn is under way: a turn that
/// saw an empty room is followed by another one at once if somebody has joined since it began.
final class TurnSchedule {
  static final Duration BACKOFF_MIN = Duration.ofMillis(200);
  static final Duration BACKOFF_MAX = Duration.ofSeconds(5);

  private final Map<PoolName, Room> rooms = new HashMap<>();

  /// Times are those of `System.nanoTime`.
  private static final class Room {
    private long dueAt = System.nanoTime();
    private long waiting;
    private boolean isEmpty = true;
    private boolean hasJoined;
    private Duration backoff = Duration.ZERO;
  }

  /// The result of a turn.
  ///
  /// @param waiting tickets that the turn saw waiting
  /// @param pause before the next turn
  record Turn(long waiting, Duration pause) {}

  /// The time until the next turn of the room, which is zero for a new room.
  synchronized Duration left(PoolName pool) {
    return Duration.ofNanos(Math.max(0, room(pool).dueAt - System.nanoTime()));
  }

  /// A turn begins. If it does not end, it has failed, and the next one is after a back-off.
  synchronized void begin(PoolName pool) {
    var room = room(pool);
    room.hasJoined = false;
    room.isEmpty = false;
    room.backoff = nextBackoff(room.backoff);
    room.dueAt = System.nanoTime() + room.backoff.toNanos();
  }

  synchronized void end(PoolName pool, Turn turn) {
    var room = room(pool);
    var isOvertaken = turn.waiting == 0 && room.hasJoined;
    room.waiting = turn.waiting;
    room.isEmpty = turn.waiting == 0 && !isOvertaken;
    room.backoff = Duration.ZERO;
    room.dueAt = System.nanoTime() + (isOvertaken ? 0 : turn.pause.toNanos());
  }

  /// Somebody joined. Returns whether the room was empty; its turn is due now then.
  synchronized boolean joined(PoolName pool) {
    var room = room(pool);
    room.hasJoined = true;
    if (!room.isEmpty) {
      return false;
    }
    room.isEmpty = false;
    room.waiting = 1;
    room.dueAt = System.nanoTime();
    return true;
  }

  /// Tickets that wait in all rooms, as their last turns saw them.
  synchronized long waiting() {
    return rooms.values().stream().mapToLong(room -> room.waiting).sum();
  }

  private Room room(PoolName pool) {
    return rooms.computeIfAbsent(pool, _ -> new Room());
  }

  private static Duration nextBackoff(Duration last) {
    var doubled = last.multipliedBy(2);
    if (doubled.compareTo(BACKOFF_MIN) < 0) {
      return BACKOFF_MIN;
    }
    return doubled.compareTo(BACKOFF_MAX) < 0 ? doubled : BACKOFF_MAX;
  }
}
