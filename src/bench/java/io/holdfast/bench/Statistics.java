package io.holdfast.bench;

import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/// Median, ratios and spread of many turns.
final class Statistics {
  private Statistics() {}

  /// Between the two in the middle, where there are two.
  static double median(double[] values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("nothing has no median");
    }
    var sorted = DoubleStream.of(values).sorted().toArray();
    var middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /// Ratios within each round, so that a disturbance of a whole round does not change them.
  static double[] ratios(double[] dividends, double[] divisors) {
    if (dividends.length != divisors.length) {
      throw new IllegalArgumentException("both must have been measured in every round");
    }
    return IntStream.range(0, dividends.length)
        .mapToDouble(i -> dividends[i] / divisors[i])
        .toArray();
  }

  /// Nothing, where there is one value only.
  static String spread(double[] values) {
    if (values.length == 1) {
      return "";
    }
    var summary = DoubleStream.of(values).summaryStatistics();
    return "%.2f–%.2f".formatted(summary.getMin(), summary.getMax());
  }
}
