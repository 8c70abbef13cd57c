package io.holdfast.hold;

import io.holdfast.pool.Policy;
import io.holdfast.web.Fields;
import java.time.Duration;
import java.util.List;

/// What somebody wants to hold, for whom, and how long without a heartbeat.
record Wish(String requester, List<String> items, Duration lease) {

  /// Refuses with `InvalidField` what the pool's rules do not allow.
  static Wish read(Fields fields, Policy policy) {
    var requester = fields.text("requester");
    var items = fields.texts("items", policy.maxItemsPerHold());
    var lease =
        fields.whole("leaseSeconds", 1, policy.window().toSeconds(), policy.lease().toSeconds());
    fields.refuseOthers();
    return new Wish(requester, items, Duration.ofSeconds(lease));
  }
}
