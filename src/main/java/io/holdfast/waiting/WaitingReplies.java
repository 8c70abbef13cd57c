package io.holdfast.waiting;

import io.holdfast.hold.HoldOutcome;
import io.holdfast.hold.HoldOutcome.Absent;
import io.holdfast.hold.HoldOutcome.TicketSeen;
import io.holdfast.hold.HoldOutcome.Unseeded;
import io.holdfast.pool.PoolCounts;
import io.holdfast.pool.QueuePosition;
import io.holdfast.pool.TicketRecord;
import io.holdfast.redis.RedisUnavailable;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// Reads the replies of the scripts of `redis-scripts/waiting/`. An unknown word is a bug and
/// throws.
final class WaitingReplies {
  private static final String UNSEEDED = "UNSEEDED";

  private WaitingReplies() {}

  /// Of `look`: TICKET, the time, whether everything is sold, the position and the record.
  static HoldOutcome readLook(String text) {
    var fields = text.split("\t", 4);
    return switch (fields[0]) {
      case "TICKET" ->
          new TicketSeen(
              Instant.ofEpochMilli(Long.parseLong(fields[1])),
              fields[2].equals("1"),
              QueuePosition.first(fields[3]),
              TicketRecord.parse(QueuePosition.rest(fields[3])));
      case "ABSENT" -> new Absent();
      case UNSEEDED -> new Unseeded(fields[1]);
      case String other -> throw unknown(other);
    };
  }

  /// Of `look` at many tickets. A pool that is not open gives one reply for all of them.
  static List<HoldOutcome> readLooks(List<String> texts, int tickets) {
    var outcomes = texts.stream().map(WaitingReplies::readLook).toList();
    return outcomes.getFirst() instanceof Unseeded notOpen
        ? Collections.nCopies(tickets, notOpen)
        : outcomes;
  }

  /// The result of `behind` for one ticket.
  enum Behind {
    REQUEUED,
    /// Redis has the ticket.
    PRESENT,
    /// The requester has another ticket by now.
    OTHER,
    /// There was no such ticket.
    ABSENT,
    /// The pool is not open. Nothing was done.
    UNSEEDED
  }

  static Behind readBehind(String text) {
    var word = text.split("\t", 2)[0];
    return word.equals("TICKET_REQUEUED") ? Behind.REQUEUED : Behind.valueOf(word);
  }

  /// Returns the number of tickets whose time was over; empty if the pool is not open.
  static OptionalInt readSweep(List<String> texts) {
    var fields = texts.getFirst().split("\t", -1);
    return fields[0].equals("SWEPT")
        ? OptionalInt.of(Integer.parseInt(fields[1]))
        : OptionalInt.empty();
  }

  /// The first tickets of a queue and what limits their admission.
  ///
  /// @param inside requesters who were admitted and have not bought
  /// @param choosing those of them who have no hold so far
  /// @param lines of the journal, which every change of a ticket adds to, except for admissions
  /// @param now Redis' clock
  record Head(
      PoolCounts counts,
      long waiting,
      long inside,
      long choosing,
      long lines,
      Instant now,
      List<WaitingTicket> tickets) {

    /// Differs from that of another head if a ticket may have changed between them.
    String state() {
      return "%s %d %d %d %d".formatted(counts, waiting, inside, choosing, lines);
    }
  }

  static @Nullable Head readHead(List<String> texts) {
    var fields = texts.getFirst().split("\t", -1);
    if (!fields[0].equals("HEAD")) {
      return null;
    }
    var counts =
        new PoolCounts(
            Long.parseLong(fields[1]),
            Long.parseLong(fields[2]),
            Long.parseLong(fields[3]),
            Long.parseLong(fields[4]),
            fields[5].isEmpty() ? null : Long.valueOf(fields[5]));
    var tickets = texts.stream().skip(1).map(TicketRecord::parse).map(WaitingTicket::new).toList();
    return new Head(
        counts,
        Long.parseLong(fields[6]),
        Long.parseLong(fields[7]),
        Long.parseLong(fields[8]),
        Long.parseLong(fields[9]),
        Instant.ofEpochMilli(Long.parseLong(fields[10])),
        tickets);
  }

  /// Nothing was done then, and the call may be repeated once the pool is open.
  static void refuseUnseeded(List<String> texts) {
    if (isUnseeded(texts)) {
      throw RedisUnavailable.notSent(new IllegalStateException("the pool is not open in Redis"));
    }
  }

  static boolean isUnseeded(List<String> texts) {
    return texts.stream().anyMatch(text -> text.startsWith(UNSEEDED));
  }

  private static IllegalArgumentException unknown(String word) {
    return new IllegalArgumentException("a script replied " + word);
  }
}
