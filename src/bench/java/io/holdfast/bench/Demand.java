package io.holdfast.bench;

/// A measured figure and its limit.
///
/// @param granted the limit that decides: what was asked for, or a little less where two equal
///   speeds would otherwise miss every other time by noise alone
record Demand(
    String what, double figure, String spread, boolean isLowerLimit, double asked, double granted) {

  static Demand atLeast(double asked, String what, double[] rounds) {
    return atLeast(asked, asked, what, rounds);
  }

  static Demand atLeast(double asked, double granted, String what, double[] rounds) {
    return new Demand(
        what, Statistics.median(rounds), Statistics.spread(rounds), true, asked, granted);
  }

  static Demand atMost(double asked, String what, double[] rounds) {
    return new Demand(
        what, Statistics.median(rounds), Statistics.spread(rounds), false, asked, asked);
  }

  boolean isMet() {
    return isLowerLimit ? figure >= granted : figure <= granted;
  }

  String line() {
    var noise = granted == asked ? "" : ", from %.2f on for noise".formatted(granted);
    return "| %s | %.2f | %s | %s %.2f%s | %s |"
        .formatted(
            what,
            figure,
            spread,
            isLowerLimit ? ">=" : "<=",
            asked,
            noise,
            isMet() ? "PASS" : "MISS");
  }
}
