package io.holdfast.hold;

import io.holdfast.pool.PoolPolicy;
import io.holdfast.web.BodyReader;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.micronaut.core.annotation.Introspected;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The body of a request for a hold. It names either items or a number of adjacent seats.
@Introspected
@Schema(name = "PlaceHold")
public record PlaceHoldBody(
    @Size(min = 1, max = 128)
        @Schema(description = "Whom the hold is for: 1 to 128 bytes of UTF-8.")
        String requester,
    @Size(min = 1)
        @Schema(
            description =
                "The items to hold, all of them or none. The pool's maxItemsPerHold limits them.")
        @Nullable List<String> items,
    @Min(1)
        @Schema(
            description =
                "Instead of items: how many adjacent seats to hold, at most maxItemsPerHold.")
        @Nullable Integer bestAvailable,
    @Size(min = 1, max = 128)
        @Schema(description = "With bestAvailable: the section to search. Default: all sections.")
        @Nullable String section,
    @Min(1)
        @Schema(
            description =
                "How long the hold lasts without a heartbeat, at most the pool's windowSeconds."
                    + " Default: the pool's leaseSeconds.")
        @Nullable Long leaseSeconds) {
  private static final BodyReader<PlaceHoldBody> READER = BodyReader.of(PlaceHoldBody.class);

  public static PlaceHoldBody of(String requester, List<String> items, Duration lease) {
    return new PlaceHoldBody(requester, items, null, null, lease.toSeconds());
  }

  /// Refuses with `InvalidField` what the pool's policy does not allow. The result has a list of
  /// items, which is empty for adjacent seats, and a lease.
  static PlaceHoldBody read(JsonFields fields, PoolPolicy policy) {
    fields.refuseLongerList("items", policy.maxItemsPerHold());
    var body = READER.read(fields);
    body.refuseUnless(policy);
    return new PlaceHoldBody(
        body.requester,
        body.items == null ? List.of() : body.items,
        body.bestAvailable,
        body.section,
        body.leaseSeconds == null ? policy.lease().toSeconds() : body.leaseSeconds);
  }

  /// The number of adjacent seats, or 0 if the body names items.
  public int best() {
    return bestAvailable == null ? 0 : bestAvailable;
  }

  public Duration lease() {
    return Duration.ofSeconds(leaseSeconds);
  }

  private void refuseUnless(PoolPolicy policy) {
    var most = policy.maxItemsPerHold();
    if (bestAvailable == null && items == null) {
      throw InvalidField.of("items", "is missing; send items or bestAvailable");
    }
    if (bestAvailable != null && items != null) {
      throw InvalidField.of("bestAvailable", "excludes items; send one of both");
    }
    if (bestAvailable != null && bestAvailable > most) {
      throw InvalidField.of("bestAvailable", "has to be a whole number from 1 to " + most);
    }
    if (bestAvailable == null && section != null) {
      throw InvalidField.of("section", "is allowed with bestAvailable only");
    }
    var longest = policy.window().toSeconds();
    if (leaseSeconds != null && leaseSeconds > longest) {
      throw InvalidField.of("leaseSeconds", "has to be a whole number from 1 to " + longest);
    }
  }
}
