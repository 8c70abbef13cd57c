package io.holdfast.idempotency;

import java.util.Optional;

/// How the entry of a token was written: by which digest function, and how its outcome becomes the
/// bytes of the answer. An entry keeps its version. A release can read all versions that earlier
/// releases wrote, so that a retry gets the bytes of its first answer also after an upgrade.
///
/// A change of the bytes of an answer needs a new version here, and every place that renders an
/// outcome renders the old versions as before.
public enum EntryVersion {
  /// The refusal `hold-limit` said that the same call could succeed later. The types of problems
  /// named a host.
  FIRST("1"),
  /// The refusal `hold-limit` is final under its token, like all stored refusals. The types of
  /// problems are relative to the service.
  FINAL_HOLD_LIMIT("1.2");

  public static final EntryVersion NEWEST = FINAL_HOLD_LIMIT;

  private final String id;

  EntryVersion(String id) {
    this.id = id;
  }

  /// The id of the digest function, then the number of the rendering unless it is the first.
  public String id() {
    return id;
  }

  /// Empty if a newer release has written it.
  public static Optional<EntryVersion> of(String id) {
    for (var version : values()) {
      if (version.id.equals(id)) {
        return Optional.of(version);
      }
    }
    return Optional.empty();
  }
}
