package io.holdfast.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;

/// A signal that ends a server. Java itself can only send TERM and KILL, and after TERM PostgreSQL
/// waits for its clients without limit.
enum Signal {
  INT,
  TERM,
  QUIT,
  KILL;

  /// Does not report whether the process still existed; the caller waits for its end.
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
