package io.holdfast.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;

/// What is sent to a server to end it. Java itself can only send TERM and KILL, and TERM makes
/// PostgreSQL wait for its clients for ever.
enum Signal {
  INT,
  TERM,
  QUIT,
  KILL;

  /// Tells nothing about whether the process was still there: whoever sends waits for its end.
  void send(ProcessHandle process) {
    try {
      new ProcessBuilder("sh", "-c", "kill -" + this + " \"$0\"", Long.toString(process.pid()))
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .onExit()
          .join();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot send a signal", e);
    }
  }
}
