package io.holdfast.pool;

import java.time.Instant;

/// The place of a line in the journal of its pool, as Redis numbers it: milliseconds and a count.
public record StreamId(long ms, long sequence) implements Comparable<StreamId> {
  /// Before every line.
  public static final StreamId START = new StreamId(0, 0);

  public StreamId {
    if (ms < 0 || sequence < 0) {
      throw new IllegalArgumentException("no id of a stream: " + ms + "-" + sequence);
    }
  }

  public static StreamId parse(String text) {
    var dash = text.indexOf('-');
    return new StreamId(
        Long.parseLong(text, 0, dash, 10), Long.parseLong(text, dash + 1, text.length(), 10));
  }

  /// The lowest id behind this one.
  public StreamId next() {
    return new StreamId(ms, sequence + 1);
  }

  public Instant recordedAt() {
    return Instant.ofEpochMilli(ms);
  }

  @Override
  public int compareTo(StreamId other) {
    return ms == other.ms ? Long.compare(sequence, other.sequence) : Long.compare(ms, other.ms);
  }

  @Override
  public String toString() {
    return ms + "-" + sequence;
  }
}
