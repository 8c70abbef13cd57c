package io.holdfast.ablation;

import java.util.List;

/// One safeguard, how to take it out, and the tests of which at least one has to notice.
///
/// @param tests classes, or methods as `class#method`
record Ablation(String name, List<Cut> cuts, List<String> tests) {

  /// @param file below the project
  /// @param text that stands in it exactly once, and `instead`, what takes its place
  record Cut(String file, String text, String instead) {}

  static Cut cut(String file, String text, String instead) {
    return new Cut(file, text, instead);
  }
}
