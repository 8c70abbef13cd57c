package io.holdfast.events;

/// How much data an event carries: all that a reader needs (fat), or only a link (thin).
enum Weight {
  FAT,
  THIN;

  /// What an event is used for.
  enum UseCase {
    CROSS_CONTEXT_INTEGRATION,
    SAME_CONTEXT_PROJECTION,
    PUBLISHED_LANGUAGE,
    HIGH_FREQUENCY_INTERNAL
  }

  /// Readers in other contexts must not need a query back; readers in the same context can query.
  static Weight of(UseCase use) {
    return switch (use) {
      case CROSS_CONTEXT_INTEGRATION, PUBLISHED_LANGUAGE -> FAT;
      case SAME_CONTEXT_PROJECTION, HIGH_FREQUENCY_INTERNAL -> THIN;
    };
  }
}
