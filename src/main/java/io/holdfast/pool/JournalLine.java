package io.holdfast.pool;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One line of a pool's journal: what a script did or refused, and for which call. A line that
/// cannot be parsed is stored as it is under the word `UNREADABLE`: the drain must not stop at it,
/// because a full journal stops the pool.
///
/// @param call what caused the line; null for the sweep, a seeding or an opening
/// @param word what happened: the word of an outcome, or of an event of the pool such as `OPENED`
/// @param detail the rest of the line
/// @param outcome null if the word is not that of an outcome
public record JournalLine(
    JournalPosition id,
    Epoch epoch,
    Instant at,
    @Nullable Call call,
    String word,
    String detail,
    @Nullable StoredOutcome outcome) {

  public static final String UNREADABLE = "UNREADABLE";

  private static final int HEAD = 6;
  private static final String SEPARATOR = "\u001e";

  /// A call under a token.
  ///
  /// @param token one char per byte
  /// @param digest of its parameters, after the name of the digest function: `1:…`
  /// @param window how long the outcome is replayed
  public record Call(
      TokenAction action, String caller, String token, String digest, Duration window) {
    public Call {
      if (caller.isEmpty() || token.isEmpty() || digest.indexOf(':') < 1 || !window.isPositive()) {
        throw new IllegalArgumentException("not a call under a token");
      }
    }
  }

  /// Parses an entry: a head (epoch, time and the number of its first line), then the lines, each
  /// after a record separator.
  ///
  /// @param entry its position
  /// @param reader the epoch in which it was read, for an entry whose head cannot be parsed
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
      // the whole entry becomes one unreadable line
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

  /// The hold that was placed, found again or ended; null for everything else.
  public @Nullable HoldRecord hold() {
    return outcome instanceof StoredOutcome.OfHold ofHold ? ofHold.hold() : null;
  }

  /// The ticket that joined, was found again or ended; null for everything else.
  public @Nullable TicketRecord ticket() {
    return outcome instanceof StoredOutcome.OfTicket ofTicket ? ofTicket.ticket() : null;
  }

  /// The text that is stored under the token of the call.
  public String storedText() {
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
        OutcomeCodec.find(word, detail));
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
