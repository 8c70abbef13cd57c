package io.holdfast.stream;

import java.util.Arrays;
import java.util.Optional;

/// The two ways to make a value unique, and the choice between them.
enum UniquenessPattern {
  DETERMINISTIC_ID("deterministic-id"),
  RESERVATION("reservation");

  private final String word;

  UniquenessPattern(String word) {
    this.word = word;
  }

  String word() {
    return word;
  }

  /// Whether the entity is created by one call, or by several that may be abandoned in between.
  enum Flow {
    SINGLE_STEP("single-step"),
    MULTI_STEP("multi-step");

    private final String word;

    Flow(String word) {
      this.word = word;
    }

    static Optional<Flow> of(String word) {
      return Arrays.stream(values()).filter(flow -> flow.word.equals(word)).findFirst();
    }

    String word() {
      return word;
    }
  }

  /// @param reason why, for a person
  record Recommendation(UniquenessPattern pattern, String reason) {}

  /// Is the value immutable? Then: is the entity created in a single step?
  static Recommendation recommend(boolean isMutable, Flow flow) {
    if (isMutable) {
      return new Recommendation(
          RESERVATION,
          "The value can change. A stream id cannot, so the old value would stay taken and the new"
              + " one would not be protected.");
    }
    return switch (flow) {
      case SINGLE_STEP ->
          new Recommendation(
              DETERMINISTIC_ID,
              "The value never changes and one call creates the entity. The stream id is computed"
                  + " from the value, and a second create is refused.");
      case MULTI_STEP ->
          new Recommendation(
              RESERVATION,
              "The value has to be kept between the steps and to become free again if the flow is"
                  + " abandoned. A stream stays for ever.");
    };
  }
}
