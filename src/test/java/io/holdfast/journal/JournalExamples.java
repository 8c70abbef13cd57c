package io.holdfast.journal;

import static io.holdfast.redis.ScriptExample.example;

import io.holdfast.redis.ScriptExample;

/// Common parts of the examples of journal scripts.
final class JournalExamples {
  static final String OURS = "a".repeat(40);
  static final String THEIRS = "b".repeat(40);
  static final String ENTRIES = "XRANGE {p:arena}:journal - +";

  private JournalExamples() {}

  static ScriptExample call(String title, String... arguments) {
    return example(title).arguments(OURS).andCalls(arguments);
  }

  /// Writes the meta key.
  static String meta(String state, String runId) {
    return "HSET {p:arena}:meta state %s epoch 7 lines 9 window 60000 run_id %s"
        .formatted(state, runId);
  }

  /// Adds a journal entry.
  ///
  /// @param head the epoch, the time and the number of its first line
  static String entry(String id, String head, String... lines) {
    return "XADD {p:arena}:journal %s lines %s".formatted(id, text(head, lines));
  }

  static String text(String head, String... lines) {
    return lines.length == 0 ? head : head + "\u001e" + String.join("\u001e", lines);
  }
}
