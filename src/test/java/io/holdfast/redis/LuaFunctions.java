package io.holdfast.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The functions of a script, which includes some that it has no use for.
final class LuaFunctions {
  private static final Set<String> OPENING = Set.of("function", "if", "do", "repeat");
  private static final Set<String> CLOSING = Set.of("end", "until");

  private LuaFunctions() {}

  /// The tokens without the local functions that nothing calls.
  static List<String> withoutUnused(List<String> tokens) {
    for (var i = 0; i + 2 < tokens.size(); i++) {
      var name = tokens.get(i + 2);
      var isLocal = tokens.get(i).equals("local") && tokens.get(i + 1).equals("function");
      if (isLocal && tokens.stream().filter(name::equals).count() == 1) {
        var left = new ArrayList<>(tokens.subList(0, i));
        left.addAll(tokens.subList(endOf(tokens, i + 1), tokens.size()));
        return withoutUnused(left);
      }
    }
    return tokens;
  }

  /// Behind the `end` of the block that starts there.
  private static int endOf(List<String> tokens, int start) {
    var depth = 0;
    for (var i = start; i < tokens.size(); i++) {
      if (OPENING.contains(tokens.get(i))) {
        depth++;
      } else if (CLOSING.contains(tokens.get(i)) && --depth == 0) {
        return i + 1;
      }
    }
    return tokens.size();
  }
}
