package io.holdfast.commitment;

import io.holdfast.commitment.PinResult.Pinned;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Requests that can share a transaction, because no two of them are about the same thing.
final class ConflictFilter {
  private final Set<Object> taken = new HashSet<>();

  private record Name(Object kind, String pool, String caller, String name) {}

  boolean admits(ConfirmRequest request) {
    var names = names(request);
    return names.stream().noneMatch(taken::contains) && taken.addAll(names);
  }

  private static List<Name> names(ConfirmRequest request) {
    var pool = request.pool().name().value();
    var names = new ArrayList<Name>();
    names.add(new Name("token", pool, request.caller(), request.token().value()));
    names.add(new Name("key", pool, request.caller(), request.key()));
    names.add(new Name("hold", pool, "", request.hold().toString()));
    if (request.nonce() != null) {
      names.add(new Name("nonce", pool, "", request.nonce()));
    }
    if (request.intent() instanceof Pinned(var hold, _, _)) {
      hold.items().forEach(item -> names.add(new Name("item", pool, "", item.value())));
    }
    return names;
  }
}
