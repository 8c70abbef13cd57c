package io.holdfast.bench;

import io.holdfast.load.Digits;
import io.holdfast.load.HoldTexts;
import java.net.InetSocketAddress;
import java.util.List;

/// The command with which the service calls its place script, captured once with MONITOR. So the
/// raw script is measured with the arguments that the service really sends, and the bench follows
/// its changes.
final class PlaceCommand {
  private static final int LINES_MAX = 100_000;
  private static final char WHO = 'f';
  private static final long NUMBER = 999_999_999;

  private PlaceCommand() {}

  /// @param pool and `item`, which is free, serve as an example
  /// @return the command with `Digits` for pool, item, and what is new in each call
  static String overhear(InetSocketAddress redis, Operator operator, String pool, String item) {
    var token = example(HoldTexts.token(WHO));
    var requester = example(HoldTexts.requester(WHO));
    try (var monitor = new RedisWire(redis)) {
      monitor.ask("MONITOR");
      operator.place(pool, item, requester, token);
      return RedisWire.command(
          firstNaming(token, monitor).stream()
              .map(word -> word.replace(token, HoldTexts.token(WHO)))
              .map(word -> word.replace(requester, HoldTexts.requester(WHO)))
              .map(word -> word.replace(item, HoldTexts.ITEM))
              .map(word -> word.replace(pool, HoldTexts.POOL))
              .toList());
    }
  }

  private static String example(String text) {
    var start = text.indexOf(Digits.NUMBER);
    var width = text.length() - start;
    return text.substring(0, start) + ("%0" + width + "d").formatted(NUMBER);
  }

  private static List<String> firstNaming(String token, RedisWire monitor) {
    for (int i = 0; i < LINES_MAX; i++) {
      var line = (String) monitor.read();
      if (line.contains(token) && line.contains("\"EVALSHA\"")) {
        return MonitorLine.words(line);
      }
    }
    throw new IllegalStateException("no EVALSHA of the service names the token " + token);
  }
}
