package io.holdfast.checkout.saga;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/// All sagas by name.
public record SagaRegistry(Map<String, Saga> byName) {
  public SagaRegistry(List<Saga> sagas) {
    this(sagas.stream().collect(Collectors.toUnmodifiableMap(Saga::name, Function.identity())));
  }

  /// A run of an unknown saga is left to instances of a version that knows it.
  public Saga named(String name) {
    var saga = byName.get(name);
    if (saga == null) {
      throw new IllegalStateException("this version knows no saga called " + name);
    }
    return saga;
  }
}
