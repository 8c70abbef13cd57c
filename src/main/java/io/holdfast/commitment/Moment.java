package io.holdfast.commitment;

/// The commit time inside a stored outcome. Postgres fills it in while it writes the sale, so Java
/// leaves it open.
final class Moment {
  /// Stands where the time belongs. No name and no token contains this character.
  static final String UNKNOWN = "\u0001";

  private Moment() {}

  /// Whether the stored outcome is this outcome at any time.
  static boolean isSame(String stored, String outcome) {
    var gap = outcome.indexOf(UNKNOWN);
    return gap < 0
        ? stored.equals(outcome)
        : stored.startsWith(outcome.substring(0, gap))
            && stored.endsWith(outcome.substring(gap + 1))
            && stored
                .substring(gap, stored.length() - outcome.length() + gap + 1)
                .matches("[0-9]+");
  }
}
