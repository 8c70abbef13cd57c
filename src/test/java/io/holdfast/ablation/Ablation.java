package io.holdfast.ablation;

import java.util.List;

/// One safeguard, the cuts that remove it, and the tests of which at least one must fail then.
///
/// @param tests classes, or methods as `class#method` or `class#method(type)`
record Ablation(String name, List<Cut> cuts, List<String> tests) {

  /// @param file relative to the project
  /// @param text occurs in the file exactly once, and is replaced by `instead`
  record Cut(String file, String text, String instead) {}

  static Cut cut(String file, String text, String instead) {
    return new Cut(file, text, instead);
  }
}
