package io.holdfast.pool;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One line of a pool's journal: what a script did or refused, and on whose call. A line that
/// cannot be read is kept as it is under a word of its own, since a journal that stops at it would
/// in the end stop the pool.
///
/// @param call what caused it; null for what no call caused, such as the sweep or an opening
/// @param word what was decided, and `detail` the rest of it
/// @param hold the hold that was placed, found again or ended; null for everything else
public record JournalLine(
    StreamId id,
    Epoch epoch,
    Instant at,
    @Nullable Call call,
    String word,
    String detail,
    @Nullable HoldRecord hold) {

  public static final String UNREADABLE = "UNREADABLE";

  private static final int HEAD = 8;
  private static final Set<String> WITH_HOLD =
      Set.of("HELD", "SAME", "CONFIRMED", "RELEASED", "EXPIRED");

  /// A call under a token.
  ///
  /// @param token one char a byte
  /// @param digest of its parameters, the function's name in front: `1:…`
  /// @param window how long the outcome is replayed
  public record Call(Action action, String caller, String token, String digest, Duration window) {
    public Call {
      if (caller.isEmpty() || token.isEmpty() || digest.indexOf(':') < 1 || !window.isPositive()) {
        throw new IllegalArgumentException("not a call under a token");
      }
    }
  }

  /// @param reader the epoch in which it was read, for lines that do not say theirs
  public static JournalLine parse(StreamId id, Epoch reader, String text) {
    try {
      return read(id, text);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      return new JournalLine(id, reader, id.recordedAt(), null, UNREADABLE, text, null);
    }
  }

  public boolean isReadable() {
    return !word.equals(UNREADABLE);
  }

  /// What is replayed to whoever repeats the call.
  public String outcome() {
    return detail.isEmpty() ? word : word + "\t" + detail;
  }

  private static JournalLine read(StreamId id, String text) {
    var fields = text.split("\t", HEAD + 1);
    var word = fields[HEAD - 1];
    var detail = fields.length > HEAD ? fields[HEAD] : "";
    if (word.isEmpty()) {
      throw new IllegalArgumentException("a line without a word");
    }
    return new JournalLine(
        id,
        new Epoch(Long.parseLong(fields[0])),
        HoldRecord.moment(fields[1]),
        fields[2].isEmpty() ? null : call(fields),
        word,
        detail,
        WITH_HOLD.contains(word) ? HoldRecord.parse(detail) : null);
  }

  private static Call call(String[] fields) {
    return new Call(
        Action.of(fields[2]),
        fields[3],
        fields[4],
        fields[5],
        Duration.ofMillis(Long.parseLong(fields[6])));
  }
}
