package io.holdfast.bench;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/// Counts responses by kind. A turn with unexpected responses fails instead of giving a figure.
final class Tally {
  private final Load.Expected expected;
  private final Map<String, Integer> surprises = new TreeMap<>();
  private String firstSurprise = "";
  private long asExpected;

  Tally(Load.Expected expected) {
    this.expected = expected;
  }

  void count(int status, boolean isReplay, Supplier<String> body) {
    if (expected.is(status, isReplay)) {
      asExpected++;
      return;
    }
    if (surprises.isEmpty()) {
      firstSurprise = body.get();
    }
    surprises.merge(status + (isReplay ? " replayed" : ""), 1, Integer::sum);
  }

  void requireNoSurprise() {
    if (!surprises.isEmpty()) {
      throw new IllegalStateException(
          "expected only %s, but besides %d of them there were %s, first %s"
              .formatted(expected, asExpected, surprises, firstSurprise));
    }
  }
}
