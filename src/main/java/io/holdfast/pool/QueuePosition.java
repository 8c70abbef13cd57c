package io.holdfast.pool;

import org.jspecify.annotations.Nullable;

/// Where a ticket waits and how long it will wait, as far as that can be told. In texts: the
/// position, the seconds and the basis, divided by tabs.
///
/// @param position 1 is next; null for a ticket that does not wait
/// @param waitSeconds null without a basis
public record QueuePosition(
    @Nullable Long position, @Nullable Long waitSeconds, @Nullable Basis basis) {

  /// What an estimate is made of.
  public enum Basis {
    /// The admissions of the last minutes.
    MEASURED,
    /// The admissions per minute of the policy.
    POLICY
  }

  public static final QueuePosition NONE = new QueuePosition(null, null, null);

  private static QueuePosition parse(String position, String waitSeconds, String basis) {
    return new QueuePosition(
        position.isEmpty() ? null : Long.valueOf(position),
        waitSeconds.isEmpty() ? null : Long.valueOf(waitSeconds),
        basis.isEmpty() ? null : Basis.valueOf(basis));
  }

  String format() {
    return text(position) + "\t" + text(waitSeconds) + "\t" + text(basis);
  }

  private static String text(@Nullable Object value) {
    return value == null ? "" : value.toString();
  }

  /// The text of a position, followed by a tab and other fields.
  public static QueuePosition first(String text) {
    var fields = text.split("\t", 4);
    return parse(fields[0], fields[1], fields[2]);
  }

  /// What follows the position in such a text.
  public static String rest(String text) {
    return text.split("\t", 4)[3];
  }
}
