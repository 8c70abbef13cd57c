package io.holdfast.pool;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// One ticket of a waiting room, in the form of the hash `tickets` in Redis and of the journal:
/// fields divided by tabs. Times are in milliseconds of Redis' clock, and `passUntil` of Postgres'.
///
/// @param number from the counter of the pool's fences, so it grows after a loss of Redis too
/// @param place in the queue: the number, unless a raffle or a loss of Redis gave another
/// @param seal signs the ticket, see `TicketId`
/// @param isRequeued whether the ticket lost its place with Redis
/// @param passUntil null until the ticket is admitted
public record TicketRecord(
    State state,
    long number,
    long place,
    String caller,
    String requester,
    String seal,
    Instant joinedAt,
    @Nullable Instant endedAt,
    boolean isRequeued,
    @Nullable Instant passUntil) {

  public enum State {
    WAITING,
    ADMITTED,
    LEFT,
    /// The requester gave no sign of life, or the pass was revoked.
    EXPIRED
  }

  private static final int FIELDS = 10;

  public static TicketRecord parse(String text) {
    var fields = text.split("\t", -1);
    if (fields.length != FIELDS) {
      throw new IllegalArgumentException(
          "the record of a ticket has %d fields, not %d".formatted(FIELDS, fields.length));
    }
    return new TicketRecord(
        State.valueOf(fields[0]),
        Long.parseLong(fields[1]),
        Long.parseLong(fields[2]),
        fields[3],
        fields[4],
        fields[5],
        HoldRecord.moment(fields[6]),
        optional(fields[7]),
        fields[8].equals("1"),
        optional(fields[9]));
  }

  public String format() {
    return String.join(
        "\t",
        state.name(),
        Long.toString(number),
        Long.toString(place),
        caller,
        requester,
        seal,
        ms(joinedAt),
        ms(endedAt),
        isRequeued ? "1" : "0",
        ms(passUntil));
  }

  public TicketId id(PoolName pool) {
    return new TicketId(pool, number, requester, seal);
  }

  public TicketRecord endedAs(State end, @Nullable Instant moment) {
    return new TicketRecord(
        end, number, place, caller, requester, seal, joinedAt, moment, isRequeued, passUntil);
  }

  /// The same ticket without personal data, for append-only tables.
  public TicketRecord unnamed(String pseudonym) {
    return new TicketRecord(
        state, number, place, caller, pseudonym, seal, joinedAt, endedAt, isRequeued, passUntil);
  }

  public TicketRecord withSeal(String other) {
    return new TicketRecord(
        state, number, place, caller, requester, other, joinedAt, endedAt, isRequeued, passUntil);
  }

  private static @Nullable Instant optional(String field) {
    return field.isEmpty() ? null : HoldRecord.moment(field);
  }

  private static String ms(@Nullable Instant moment) {
    return moment == null ? "" : Long.toString(moment.toEpochMilli());
  }
}
