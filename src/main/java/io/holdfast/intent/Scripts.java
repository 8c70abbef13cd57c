package io.holdfast.intent;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;

/// Runs scripts, each in one atomic step, where the intent layer has its memory. A reply is a list
/// that starts with a word, as the header of the script says.
public interface Scripts {

  /// Ends with the reply or with `IntentUnavailable`. What names this life of the memory is put
  /// before the arguments, as `ARGV[1]` of every script.
  ///
  /// @param keys of one pool
  CompletionStage<List<Object>> call(Script script, String[] keys, String... others);

  /// Whether calls are run one after the other there, so that several of one pool may as well be
  /// one.
  boolean isSerial();

  /// What time it is there, which decides how long holds last. For threads that may block.
  Instant now();
}
