package io.holdfast.journal.store;

import io.holdfast.pool.Epoch;
import io.holdfast.pool.Fence;
import io.holdfast.pool.JournalLine;
import io.holdfast.pool.JournalLine.Call;
import io.holdfast.pool.StoredOutcome.Refusal;
import io.holdfast.pool.StoredOutcome.Same;
import io.holdfast.pool.TokenAction;
import io.holdfast.postgres.ArrayBinder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A row of the journal: one line, or many calls of one caller that changed nothing and came to the
/// same word within a minute. A caller who is refused thousands of times per second would otherwise
/// write 250 bytes for good each time. A row of many calls has 28 bytes of each: prints of its
/// token, digest and outcome, and its time. So the auditor still sees every use of a token; the
/// token itself and its outcome are in `token_result` for their window.
///
/// @param lines in their order; the row has the place and the time of the first one
record JournalRow(List<JournalLine> lines) {
  private static final Duration SPAN_MAX = Duration.ofMinutes(1);

  /// Redis numbers an entry in the millisecond in which its script runs. Beyond this, the clock was
  /// set, and the line stays as it is.
  private static final long SKEW_MAX_MS = 1_000;

  /// What the calls of a row have in common.
  private record Key(
      Epoch epoch,
      String caller,
      TokenAction action,
      Duration window,
      String word,
      @Nullable Fence hold,
      long skewMs) {}

  static List<JournalRow> of(List<JournalLine> lines) {
    var rows = new ArrayList<JournalRow>();
    var open = new HashMap<Key, JournalRow>();
    for (var line : lines) {
      var key = key(line);
      var row = key == null ? null : open.get(key);
      if (row == null || row.afterMs(line) > SPAN_MAX.toMillis()) {
        row = new JournalRow(new ArrayList<>());
        rows.add(row);
        if (key != null) {
          open.put(key, row);
        }
      }
      row.lines.add(line);
    }
    return rows;
  }

  /// Null for a line that is not counted: it changed something, no call caused it, or it is that of
  /// a confirm, whose token Postgres has stored at another time.
  private static @Nullable Key key(JournalLine line) {
    var call = line.call();
    var skewMs = line.id().ms() - line.at().toEpochMilli();
    if (call == null
        || call.action() == TokenAction.CONFIRM
        || !(line.outcome() instanceof Refusal || line.outcome() instanceof Same)
        || Math.abs(skewMs) > SKEW_MAX_MS) {
      return null;
    }
    return new Key(
        line.epoch(),
        call.caller(),
        call.action(),
        call.window(),
        line.word(),
        line.hold() == null ? null : line.hold().fence(),
        skewMs);
  }

  JournalLine first() {
    return lines.getFirst();
  }

  /// The call of a row of one line, with its token and digest.
  @Nullable Call onlyCall() {
    return lines.size() == 1 ? first().call() : null;
  }

  /// The record of the hold, as the first call saw it, or the details of a refusal; empty if the
  /// calls of the row differ in them. Without personal data.
  String detail(Pseudonyms pseudonyms) {
    var detail = pseudonyms.detail(first());
    var isCommon =
        first().hold() != null
            || lines.stream().allMatch(line -> pseudonyms.detail(line).equals(detail));
    return isCommon ? detail : "";
  }

  @Nullable String tokens() {
    return array(
        line -> HexFormat.of().formatHex(sha256(ArrayBinder.bytes(line.call().token())), 0, 16));
  }

  @Nullable String digests() {
    return array(line -> print(line.call().digest()));
  }

  /// As `outcome_print` in Postgres: the record of a hold may name persons and is not part of it.
  @Nullable String outcomes() {
    return array(
        line ->
            print(line.hold() == null ? line.storedText().replaceAll("\\t+$", "") : line.word()));
  }

  @Nullable String afterMs() {
    return array(line -> Long.toString(afterMs(line)));
  }

  private long afterMs(JournalLine line) {
    return line.id().ms() - first().id().ms();
  }

  /// An array of Postgres, as text; null for a row of one line.
  private @Nullable String array(Function<JournalLine, String> value) {
    return lines.size() == 1
        ? null
        : lines.stream().map(value).collect(Collectors.joining(",", "{", "}"));
  }

  /// As `text_print` in Postgres.
  private static String print(String text) {
    return Integer.toString(
        ByteBuffer.wrap(sha256(text.getBytes(StandardCharsets.UTF_8))).getInt());
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
