package io.holdfast.commitment.listing;

import io.holdfast.commitment.listing.ListedSale.State;
import io.holdfast.pool.PoolName;
import io.holdfast.web.InvalidField;
import io.holdfast.web.PageRequest;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Which sales of a pool are listed. Null stands for all.
///
/// @param from the time of the first sale
/// @param until the time before which the last sale was made
record SalesFilter(
    PoolName pool,
    @Nullable String caller,
    @Nullable State state,
    @Nullable String requester,
    @Nullable String orderId,
    @Nullable Instant from,
    @Nullable Instant until) {

  /// The filter as it stands in the query of a request.
  ///
  /// @param caller to whom the list is limited; null for no limit
  record Query(
      @Nullable String caller,
      @Nullable String state,
      @Nullable String requester,
      @Nullable String orderId,
      @Nullable String from,
      @Nullable String until) {

    /// Refuses with `InvalidField` what it cannot read.
    SalesFilter of(PoolName pool) {
      return new SalesFilter(
          pool,
          caller,
          state == null ? null : state(state),
          name("requester", requester),
          name("orderId", orderId),
          time("from", from),
          time("until", until));
    }

    PageRequest addTo(PageRequest page) {
      return page.with("state", state)
          .with("requester", requester)
          .with("orderId", orderId)
          .with("from", from)
          .with("until", until);
    }

    private static State state(String word) {
      return Arrays.stream(State.values())
          .filter(state -> state.name().equals(word))
          .findFirst()
          .orElseThrow(() -> InvalidField.of("state", "has to be SOLD, PARTLY_VOIDED or VOIDED"));
    }

    /// Postgres cannot compare a text with a zero character.
    private static @Nullable String name(String field, @Nullable String text) {
      if (text != null && text.chars().anyMatch(Character::isISOControl)) {
        throw InvalidField.of(field, "must have no control characters");
      }
      return text;
    }

    private static @Nullable Instant time(String field, @Nullable String text) {
      try {
        return text == null ? null : OffsetDateTime.parse(text).toInstant();
      } catch (DateTimeParseException e) {
        throw InvalidField.of(field, "has to be a time such as 2030-01-31T18:00:00Z");
      }
    }
  }
}
