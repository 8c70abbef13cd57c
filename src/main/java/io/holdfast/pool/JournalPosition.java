package io.holdfast.pool;

import java.time.Instant;

/// The position of a line in the journal of its pool: milliseconds and a sequence. Redis numbers
/// the entries, and an entry has many lines, so the sequence is that of the entry times
/// `LINES_MAX`, plus the index of the line.
public record JournalPosition(long ms, long sequence) implements Comparable<JournalPosition> {
  /// The position before the first line.
  public static final JournalPosition START = new JournalPosition(0, 0);

  /// More than an entry can have.
  private static final long LINES_MAX = 1 << 16;

  public JournalPosition {
    if (ms < 0 || sequence < 0) {
      throw new IllegalArgumentException("not the id of a stream entry: " + ms + "-" + sequence);
    }
  }

  /// The position of the first line of an entry.
  ///
  /// @param id as Redis writes it
  public static JournalPosition ofEntry(String id) {
    var dash = id.indexOf('-');
    return new JournalPosition(
        Long.parseLong(id, 0, dash, 10), LINES_MAX * Long.parseLong(id, dash + 1, id.length(), 10));
  }

  /// @param number of a line of this entry, from 0
  public JournalPosition line(int number) {
    return new JournalPosition(ms, sequence + number);
  }

  /// The id of its entry, as Redis writes it.
  public String entry() {
    return ms + "-" + sequence / LINES_MAX;
  }

  /// The lowest possible id of the next entry.
  public String nextEntry() {
    return ms + "-" + (sequence / LINES_MAX + 1);
  }

  public Instant recordedAt() {
    return Instant.ofEpochMilli(ms);
  }

  @Override
  public int compareTo(JournalPosition other) {
    return ms == other.ms ? Long.compare(sequence, other.sequence) : Long.compare(ms, other.ms);
  }

  @Override
  public String toString() {
    return ms + "-" + sequence;
  }
}
