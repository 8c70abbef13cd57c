package io.holdfast.pool;

import io.holdfast.pool.StoredOutcome.BidTooLow;
import io.holdfast.pool.StoredOutcome.Confirmed;
import io.holdfast.pool.StoredOutcome.Expired;
import io.holdfast.pool.StoredOutcome.Held;
import io.holdfast.pool.StoredOutcome.Invalid;
import io.holdfast.pool.StoredOutcome.ItemLimit;
import io.holdfast.pool.StoredOutcome.Joined;
import io.holdfast.pool.StoredOutcome.Left;
import io.holdfast.pool.StoredOutcome.Limit;
import io.holdfast.pool.StoredOutcome.NoSuchItem;
import io.holdfast.pool.StoredOutcome.OfHold;
import io.holdfast.pool.StoredOutcome.OfTicket;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.pool.StoredOutcome.Released;
import io.holdfast.pool.StoredOutcome.Requeued;
import io.holdfast.pool.StoredOutcome.Same;
import io.holdfast.pool.StoredOutcome.SameTicket;
import io.holdfast.pool.StoredOutcome.Taken;
import io.holdfast.pool.StoredOutcome.TicketExpired;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads and writes the stored text of an outcome: a word, a tab, and the details. Redis, the
/// journal and Postgres store this text, so its bytes must not change.
public final class OutcomeCodec {
  /// Placeholder for the time of a sale. The statement that sells replaces it by Postgres' clock.
  /// No name and no token contains this character.
  public static final String OPEN_TIME = "\u0001";

  private OutcomeCodec() {}

  /// @throws IllegalArgumentException if the text is not that of an outcome
  public static StoredOutcome parse(String text) {
    var tab = text.indexOf('\t');
    var word = tab < 0 ? text : text.substring(0, tab);
    var outcome = find(word, tab < 0 ? "" : text.substring(tab + 1));
    if (outcome == null) {
      throw new IllegalArgumentException("there is no outcome \"" + word + "\"");
    }
    return outcome;
  }

  /// Null if the word is not that of an outcome.
  public static @Nullable StoredOutcome find(String word, String details) {
    return switch (word) {
      case "HELD" -> new Held(HoldRecord.parse(details));
      case "SAME" -> new Same(HoldRecord.parse(details));
      case "CONFIRMED" -> new Confirmed(HoldRecord.parse(details));
      case "RELEASED" -> new Released(HoldRecord.parse(details));
      case "EXPIRED" -> new Expired(HoldRecord.parse(details));
      case "TAKEN" -> new Taken(details.isEmpty() ? List.of() : List.of(details.split("\n")));
      case "NO_SUCH_ITEM" -> new NoSuchItem(List.of(details.split("\n")));
      case "LIMIT" -> new Limit(Integer.parseInt(details));
      case "ITEM_LIMIT" -> new ItemLimit(Integer.parseInt(details));
      case "BID_TOO_LOW" -> new BidTooLow(Long.parseLong(details));
      case "INVALID" -> invalid(details);
      case "TICKET_JOINED" -> new Joined(QueuePosition.first(details), positioned(details));
      case "TICKET_SAME" -> new SameTicket(QueuePosition.first(details), positioned(details));
      case "TICKET_LEFT" -> new Left(TicketRecord.parse(details));
      case "TICKET_EXPIRED" -> new TicketExpired(TicketRecord.parse(details));
      case "TICKET_REQUEUED" -> new Requeued(TicketRecord.parse(details));
      default -> reason(word);
    };
  }

  private static TicketRecord positioned(String details) {
    return TicketRecord.parse(QueuePosition.rest(details));
  }

  private static Invalid invalid(String details) {
    var tab = details.indexOf('\t');
    var field = details.substring(0, tab);
    return new Invalid(field.isEmpty() ? null : field, details.substring(tab + 1));
  }

  private static @Nullable Reason reason(String word) {
    for (var reason : Reason.values()) {
      if (reason.name().equals(word)) {
        return reason;
      }
    }
    return null;
  }

  public static String format(StoredOutcome outcome) {
    return word(outcome)
        + "\t"
        + switch (outcome) {
          case OfHold ofHold -> ofHold.hold().format();
          case Joined(var position, var ticket) -> position.format() + "\t" + ticket.format();
          case SameTicket(var position, var ticket) -> position.format() + "\t" + ticket.format();
          case OfTicket ofTicket -> ofTicket.ticket().format();
          case Taken(var items) -> String.join("\n", items);
          case NoSuchItem(var items) -> String.join("\n", items);
          case Limit(var holdsMax) -> Integer.toString(holdsMax);
          case ItemLimit(var itemsMax) -> Integer.toString(itemsMax);
          case BidTooLow(var ownCents) -> Long.toString(ownCents);
          case Invalid(var field, var sentence) -> (field == null ? "" : field) + "\t" + sentence;
          case Reason _ -> "";
        };
  }

  /// The text of a sale with `OPEN_TIME` in the place of its time.
  public static String formatWithOpenTime(Confirmed sale) {
    return word(sale) + "\t" + sale.hold().formatEndedAt(OPEN_TIME);
  }

  public static String word(StoredOutcome outcome) {
    return switch (outcome) {
      case Held _ -> "HELD";
      case Same _ -> "SAME";
      case Confirmed _ -> "CONFIRMED";
      case Released _ -> "RELEASED";
      case Expired _ -> "EXPIRED";
      case Taken _ -> "TAKEN";
      case NoSuchItem _ -> "NO_SUCH_ITEM";
      case Limit _ -> "LIMIT";
      case ItemLimit _ -> "ITEM_LIMIT";
      case BidTooLow _ -> "BID_TOO_LOW";
      case Invalid _ -> "INVALID";
      case Joined _ -> "TICKET_JOINED";
      case SameTicket _ -> "TICKET_SAME";
      case Left _ -> "TICKET_LEFT";
      case TicketExpired _ -> "TICKET_EXPIRED";
      case Requeued _ -> "TICKET_REQUEUED";
      case Reason reason -> reason.name();
    };
  }

  /// Whether the stored text is this text, with any time in the place of `OPEN_TIME`.
  public static boolean isSame(String stored, String text) {
    var gap = text.indexOf(OPEN_TIME);
    return gap < 0
        ? stored.equals(text)
        : stored.startsWith(text.substring(0, gap))
            && stored.endsWith(text.substring(gap + 1))
            && stored.substring(gap, stored.length() - text.length() + gap + 1).matches("[0-9]+");
  }
}
