package io.holdfast.events.privacy;

import io.holdfast.pool.TicketId;
import io.holdfast.subject.CallerText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Replaces the requester in an answer, where the answer is about the person. Two callers may have
/// requesters with one name, so the ids of holds and tickets decide. The name decides in an object
/// without such an id, if its caller is that of the person.
///
/// @param holds the ids of the person's holds
/// @param tickets the person's tickets, as pool and number with `~` between them
record AnswerRedaction(Erasure erasure, Set<String> holds, Set<String> tickets) {
  private static final List<String> IDS = List.of("holdId", "reservationId", "bidId");

  /// Members with texts of the caller.
  private static final Set<String> TEXTS =
      Set.of("key", "entityId", "correlationId", "orderId", "logicalKey");

  /// @param caller who got the answer
  Map<String, @Nullable Object> redacted(Map<?, ?> object, String caller) {
    var isTheirs = isTheirs(object, caller);
    var copy = new LinkedHashMap<String, @Nullable Object>();
    object.forEach(
        (name, value) -> copy.put((String) name, redacted((String) name, value, isTheirs, caller)));
    return copy;
  }

  private boolean isTheirs(Map<?, ?> object, String caller) {
    if (IDS.stream().anyMatch(object::containsKey)) {
      return IDS.stream().map(object::get).anyMatch(id -> id != null && holds.contains(id));
    }
    return caller.equals(erasure.person().caller()) && requester().equals(object.get("requester"));
  }

  private @Nullable Object redacted(
      String name, @Nullable Object value, boolean isTheirs, String caller) {
    return switch (value) {
      case Map<?, ?> _ when isTheirs && name.equals("metadata") -> Map.of();
      case Map<?, ?> inner -> redacted(inner, caller);
      case List<?> list -> list.stream().map(each -> redacted("", each, false, caller)).toList();
      case String text when name.equals("ticket") -> ticket(text);
      case String text when isTheirs && name.equals("requester") ->
          text.equals(requester()) ? erasure.pseudonym() : text;
      case String text when isTheirs && TEXTS.contains(name) ->
          CallerText.hashedIfNamed(text, requester());
      case null, default -> value;
    };
  }

  private String ticket(String text) {
    return TicketId.parse(text)
        .filter(id -> id.requester().equals(requester()))
        .filter(id -> tickets.contains(id.pool() + "~" + id.number()))
        .map(id -> new TicketId(id.pool(), id.number(), erasure.pseudonym(), id.seal()).toString())
        .orElse(text);
  }

  private String requester() {
    return erasure.person().requester();
  }
}
