package io.holdfast.hold;

import io.holdfast.pool.PoolPolicy;
import io.holdfast.web.JsonFields;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What somebody wants to hold, for whom, and how long without a heartbeat.
///
/// @param items empty if any will do
/// @param best how many of those, side by side, or 0
/// @param section to look for them in, or null for all
public record PlaceHoldBody(
    String requester, List<String> items, int best, @Nullable String section, Duration lease) {

  public static PlaceHoldBody of(String requester, List<String> items, Duration lease) {
    return new PlaceHoldBody(requester, items, 0, null, lease);
  }

  /// Refuses with `InvalidField` what the pool's rules do not allow.
  static PlaceHoldBody read(JsonFields fields, PoolPolicy policy) {
    var requester = fields.text("requester");
    var isBest = fields.has("bestAvailable");
    if (isBest && fields.has("items")) {
      throw fields.invalid("bestAvailable", "leaves no choice of items; send one of both");
    }
    var most = policy.maxItemsPerHold();
    var best = isBest ? fields.whole("bestAvailable", 1, most) : 0;
    var section = isBest ? fields.optionalText("section") : null;
    List<String> items = isBest ? List.of() : fields.texts("items", most);
    var lease =
        fields.whole("leaseSeconds", 1, policy.window().toSeconds(), policy.lease().toSeconds());
    fields.refuseOthers();
    return new PlaceHoldBody(requester, items, (int) best, section, Duration.ofSeconds(lease));
  }
}
