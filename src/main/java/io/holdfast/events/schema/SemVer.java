package io.holdfast.events.schema;

import java.util.Comparator;
import java.util.regex.Pattern;

/// The version of a schema. Its parts are compared as numbers: 1.2.0 is older than 1.10.0.
public record SemVer(int major, int minor, int patch) implements Comparable<SemVer> {
  public static final SemVer FIRST = new SemVer(1, 0, 0);

  private static final Pattern FORM =
      Pattern.compile("(0|[1-9]\\d{0,8})\\.(0|[1-9]\\d{0,8})\\.(0|[1-9]\\d{0,8})");
  private static final Comparator<SemVer> ORDER =
      Comparator.comparingInt(SemVer::major)
          .thenComparingInt(SemVer::minor)
          .thenComparingInt(SemVer::patch);

  public static SemVer parse(String text) {
    var matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("a version has the form 1.2.3, not \"" + text + "\"");
    }
    return new SemVer(
        Integer.parseInt(matcher.group(1)),
        Integer.parseInt(matcher.group(2)),
        Integer.parseInt(matcher.group(3)));
  }

  @Override
  public int compareTo(SemVer other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return major + "." + minor + "." + patch;
  }
}
