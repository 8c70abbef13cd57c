package io.holdfast.pool;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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
    JournalPosition id,
    Epoch epoch,
    Instant at,
    @Nullable Call call,
    String word,
    String detail,
    @Nullable HoldRecord hold) {

  public static final String UNREADABLE = "UNREADABLE";

  private static final int HEAD = 6;
  private static final String SEPARATOR = "\u001e";
  private static final Set<String> WITH_HOLD =
      Set.of("HELD", "SAME", "CONFIRMED", "RELEASED", "EXPIRED");

  /// A call under a token.
  ///
  /// @param token one char a byte
  /// @param digest of its parameters, the function's name in front: `1:…`
  /// @param window how long the outcome is replayed
  public record Call(
      TokenAction action, String caller, String token, String digest, Duration window) {
    public Call {
      if (caller.isEmpty() || token.isEmpty() || digest.indexOf(':') < 1 || !window.isPositive()) {
        throw new IllegalArgumentException("not a call under a token");
      }
    }
  }

  /// The lines of an entry: its head (epoch, time and the number of its first line), and behind
  /// record separators the lines.
  ///
  /// @param entry its place
  /// @param reader the epoch in which it was read, for lines that do not say theirs
  public static List<JournalLine> parse(JournalPosition entry, Epoch reader, String text) {
    var parts = text.split(SEPARATOR, -1);
    try {
      var head = parts[0].split("\t");
      var epoch = new Epoch(Long.parseLong(head[0]));
      var at = HoldRecord.moment(head[1]);
      var lines = new ArrayList<JournalLine>(parts.length - 1);
      for (var i = 1; i < parts.length; i++) {
        lines.add(parse(entry.line(i - 1), epoch, at, parts[i]));
      }
      if (!lines.isEmpty()) {
        return lines;
      }
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      // the whole entry is one line that makes no sense
    }
    return List.of(unreadable(entry, reader, entry.recordedAt(), text));
  }

  private static JournalLine parse(JournalPosition id, Epoch epoch, Instant at, String text) {
    try {
      return read(id, epoch, at, text);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      return unreadable(id, epoch, at, text);
    }
  }

  private static JournalLine unreadable(JournalPosition id, Epoch epoch, Instant at, String text) {
    return new JournalLine(id, epoch, at, null, UNREADABLE, text, null);
  }

  public boolean isReadable() {
    return !word.equals(UNREADABLE);
  }

  /// What is replayed to whoever repeats the call.
  public String outcome() {
    return detail.isEmpty() ? word : word + "\t" + detail;
  }

  private static JournalLine read(JournalPosition id, Epoch epoch, Instant at, String text) {
    var fields = text.split("\t", HEAD + 1);
    var word = fields[HEAD - 1];
    var detail = fields.length > HEAD ? fields[HEAD] : "";
    if (word.isEmpty()) {
      throw new IllegalArgumentException("a line without a word");
    }
    return new JournalLine(
        id,
        epoch,
        at,
        fields[0].isEmpty() ? null : call(fields),
        word,
        detail,
        WITH_HOLD.contains(word) ? HoldRecord.parse(detail) : null);
  }

  private static Call call(String[] fields) {
    return new Call(
        TokenAction.of(fields[2]),
        fields[0],
        fields[1],
        fields[3],
        Duration.ofMillis(Long.parseLong(fields[4])));
  }
}
