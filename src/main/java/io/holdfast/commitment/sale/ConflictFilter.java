package io.holdfast.commitment.sale;

import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.PinResult.Pinned;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Admits requests to a batch of which no two share a token, key, hold, nonce or item.
final class ConflictFilter {
  private final Set<Subject> admitted = new HashSet<>();

  private record Subject(String kind, String pool, String caller, String name) {}

  boolean admits(ConfirmRequest request) {
    var subjects = subjects(request);
    return subjects.stream().noneMatch(admitted::contains) && admitted.addAll(subjects);
  }

  private static List<Subject> subjects(ConfirmRequest request) {
    var pool = request.pool().name().value();
    var subjects = new ArrayList<Subject>();
    subjects.add(new Subject("token", pool, request.caller(), request.token().value()));
    subjects.add(new Subject("key", pool, request.caller(), request.key()));
    subjects.add(new Subject("hold", pool, "", request.hold().toString()));
    if (request.nonce() != null) {
      subjects.add(new Subject("nonce", pool, "", request.nonce()));
    }
    if (request.intent() instanceof Pinned(var hold, _, _)) {
      hold.items().forEach(item -> subjects.add(new Subject("item", pool, "", item.value())));
    }
    return subjects;
  }
}
