package io.holdfast.events;

/// How much an event carries: all that a reader needs, or no more than where to look.
public enum Weight {
  FAT,
  THIN;

  /// What events are used for.
  public enum UseCase {
    CROSS_CONTEXT_INTEGRATION,
    SAME_CONTEXT_PROJECTION,
    PUBLISHED_LANGUAGE,
    HIGH_FREQUENCY_INTERNAL
  }

  /// Who is outside must not have to ask back; who is inside can, and should not be sent much.
  public static Weight of(UseCase use) {
    return switch (use) {
      case CROSS_CONTEXT_INTEGRATION, PUBLISHED_LANGUAGE -> FAT;
      case SAME_CONTEXT_PROJECTION, HIGH_FREQUENCY_INTERNAL -> THIN;
    };
  }
}
