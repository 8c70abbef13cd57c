package io.holdfast.pool;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// One hold, in the form of the hash `holds` in Redis and of the journal: fields divided by tabs,
/// items by line feeds. Times are in milliseconds of Redis' clock.
///
/// A hold of a quantity has units as its items: the first unit of the hold with fence 7 is "7-1".
/// Redis counts units and does not name them; in Postgres a sold unit is an item like any other.
///
/// @param leaseUntil how long Redis keeps it; heartbeats move it, never past `expiresAt`
/// @param expiresAt the end of the window, which never moves
/// @param endReason only of a hold that is EXPIRED
/// @param token of the call that placed it, one char per byte
/// @param quantity number of units; null for a hold of named items
/// @param metadata what the caller stores with the hold: a JSON object, or nothing
/// @param bid what a bid of an auction offers; null for other holds. A bid has no items until it
///   wins: it does not take the lot
public record HoldRecord(
    HoldState state,
    Fence fence,
    String salt,
    String caller,
    String requester,
    Instant placedAt,
    Instant leaseUntil,
    Instant expiresAt,
    Duration lease,
    @Nullable Instant endedAt,
    @Nullable EndReason endReason,
    long pinNo,
    String token,
    List<ItemId> items,
    @Nullable Integer quantity,
    String metadata,
    @Nullable Bid bid) {

  private static final int FIELDS = 16;

  /// A bid also has its amount, and whether it was the highest when it was placed.
  private static final int FIELDS_OF_BID = 18;

  private static final String LEADING = "LEADING";

  /// Records that were written before there were quantities end with the items.
  private static final int FIELDS_ONCE = 14;

  private static final int SIZE_USUAL = 256;
  private static final long LATEST = Instant.parse("9999-12-31T23:59:59Z").toEpochMilli();

  public HoldRecord {
    items = List.copyOf(items);
    refuseUnless(quantity == null || items.size() == quantity, "it has as many units as it says");
    refuseUnless(placedAt.isBefore(expiresAt), "it is placed before it expires");
    refuseUnless(!leaseUntil.isAfter(expiresAt), "its lease ends within its window");
    refuseUnless(lease.isPositive(), "its lease is positive");
    refuseUnless((state == HoldState.HELD) == (endedAt == null), "only what ended has an end");
    refuseUnless(
        (state == HoldState.EXPIRED) == (endReason != null), "only what expired has a reason");
    refuseUnless(
        endReason != EndReason.WINDOW || !expiresAt.isAfter(endedAt), "its window has run out");
    refuseUnless(
        endReason != EndReason.LEASE || !leaseUntil.isAfter(endedAt), "its lease has run out");
  }

  /// @param isLeading whether it was the highest bid when it was placed
  public record Bid(long amountCents, boolean isLeading) {
    public Bid {
      refuseUnless(amountCents > 0, "a bid offers something");
    }

    private static Bid parse(String amount, String rank) {
      return new Bid(Long.parseLong(amount), rank.equals(LEADING));
    }

    private String format() {
      return amountCents + "\t" + (isLeading ? LEADING : "");
    }
  }

  public static HoldRecord parse(String line) {
    var fields = line.split("\t", -1);
    if (fields.length == FIELDS_ONCE) {
      return parse(line + "\t\t");
    }
    if (fields.length != FIELDS && fields.length != FIELDS_OF_BID) {
      throw new IllegalArgumentException(
          "the record of a hold has %d fields, not %d".formatted(FIELDS, fields.length));
    }
    var fence = Fence.parse(fields[1]);
    var quantity = fields[14].isEmpty() ? null : Integer.valueOf(fields[14]);
    return new HoldRecord(
        HoldState.valueOf(fields[0]),
        fence,
        fields[2],
        fields[3],
        fields[4],
        moment(fields[5]),
        moment(fields[6]),
        moment(fields[7]),
        Duration.ofMillis(Long.parseLong(fields[8])),
        fields[9].isEmpty() ? null : moment(fields[9]),
        fields[10].isEmpty() ? null : EndReason.valueOf(fields[10]),
        Long.parseLong(fields[11]),
        fields[12],
        quantity == null ? items(fields[13]) : units(fence, quantity),
        quantity,
        fields[15],
        fields.length == FIELDS ? null : Bid.parse(fields[16], fields[17]));
  }

  public String format() {
    return formatEndedAt(endedAt == null ? "" : Long.toString(endedAt.toEpochMilli()));
  }

  /// The record with another text in the place of `endedAt`.
  public String formatEndedAt(String at) {
    var line = new StringBuilder(SIZE_USUAL);
    line.append(state).append('\t').append(fence.value()).append('\t').append(salt);
    line.append('\t').append(caller).append('\t').append(requester);
    line.append('\t').append(placedAt.toEpochMilli());
    line.append('\t').append(leaseUntil.toEpochMilli());
    line.append('\t').append(expiresAt.toEpochMilli());
    line.append('\t').append(lease.toMillis()).append('\t').append(at);
    line.append('\t').append(endReason == null ? "" : endReason.name());
    line.append('\t').append(pinNo).append('\t').append(token);
    line.append('\t').append(quantity == null ? itemLines() : "");
    line.append('\t').append(quantity == null ? "" : quantity);
    line.append('\t').append(metadata);
    return bid == null ? line.toString() : line.append('\t').append(bid.format()).toString();
  }

  /// The names of the items, divided by line feeds.
  public String itemLines() {
    return items.stream().map(ItemId::value).collect(Collectors.joining("\n"));
  }

  /// The units of a hold of a quantity.
  public static List<ItemId> units(Fence fence, int quantity) {
    return IntStream.rangeClosed(1, quantity)
        .mapToObj(number -> new ItemId(fence + "-" + number))
        .toList();
  }

  /// The same hold with only the first units of it.
  public HoldRecord withQuantity(int less) {
    return new HoldRecord(
        state,
        fence,
        salt,
        caller,
        requester,
        placedAt,
        leaseUntil,
        expiresAt,
        lease,
        endedAt,
        endReason,
        pinNo,
        token,
        units(fence, less),
        less,
        metadata,
        bid);
  }

  /// The same hold without personal data, for append-only tables.
  public HoldRecord unnamed(String pseudonym) {
    return new HoldRecord(
        state,
        fence,
        salt,
        caller,
        pseudonym,
        placedAt,
        leaseUntil,
        expiresAt,
        lease,
        endedAt,
        endReason,
        pinNo,
        token,
        items,
        quantity,
        "",
        bid);
  }

  /// The same hold at its end.
  public HoldRecord ended(HoldState end, Instant at, @Nullable EndReason reason) {
    return new HoldRecord(
        end,
        fence,
        salt,
        caller,
        requester,
        placedAt,
        leaseUntil,
        expiresAt,
        lease,
        at,
        reason,
        pinNo,
        token,
        items,
        quantity,
        metadata,
        bid);
  }

  /// The same hold as it was when it was placed, before any heartbeat.
  public HoldRecord asPlaced() {
    var until = placedAt.plus(lease);
    return new HoldRecord(
        HoldState.HELD,
        fence,
        salt,
        caller,
        requester,
        placedAt,
        until.isBefore(expiresAt) ? until : expiresAt,
        expiresAt,
        lease,
        null,
        null,
        0,
        token,
        items,
        quantity,
        metadata,
        bid);
  }

  /// Whether the hold is being committed, so that only Postgres may end it.
  public boolean isPinned() {
    return pinNo % 2 == 1;
  }

  public HoldId id(PoolName pool) {
    return new HoldId(pool, fence, salt);
  }

  static Instant moment(String text) {
    var ms = Long.parseLong(text);
    refuseUnless(ms >= 0 && ms <= LATEST, "its times lie between 1970 and 9999");
    return Instant.ofEpochMilli(ms);
  }

  private static List<ItemId> items(String field) {
    return field.isEmpty() ? List.of() : Stream.of(field.split("\n")).map(ItemId::new).toList();
  }

  private static void refuseUnless(boolean holds, String rule) {
    if (!holds) {
      throw new IllegalArgumentException("this is not the record of a hold: " + rule);
    }
  }
}
