package io.holdfast.intent;

import jakarta.inject.Singleton;

/// Tells the lives of one database apart in which it was used in this mode and then in the other: a
/// memory that was left alone meanwhile must not be taken for current. Set once, before the door
/// opens.
@Singleton
public final class Life {
  private volatile long changes;

  /// @param changes how often the mode of the database has changed
  public void isNumber(long changes) {
    this.changes = changes;
  }

  /// What is added to the id of a server; nothing where the mode has never changed.
  public String mark() {
    return changes == 0 ? "" : "+" + changes;
  }
}
