package io.holdfast.redis;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/// A Redis command as people write it, its parts divided by blanks; `␣` is a blank inside a part.
final class PlainCommand {
  private static final String RUN =
      """
      local function text(reply)
        if type(reply) ~= 'table' then
          return reply and tostring(reply) or 'nothing'
        end
        local parts = {}
        for i = 1, #reply do
          parts[i] = text(reply[i])
        end
        return reply.ok or table.concat(parts, ', ')
      end
      return text(redis.call(unpack(ARGV)))
      """;

  private PlainCommand() {}

  /// Runs one after the other and returns what each of them answered, as a text without moments.
  static List<String> answers(RedisCommands<String, String> redis, Collection<String> commands) {
    return commands.stream()
        .map(command -> Stream.of(command.split(" ")).map(part -> part.replace('␣', ' ')))
        .map(parts -> run(redis, parts.toArray(String[]::new)))
        .map(answer -> Snapshot.timeless(answer).replaceAll("<moment>-\\d+", "<id>"))
        .toList();
  }

  private static String run(RedisCommands<String, String> redis, String... parts) {
    return redis.eval(RUN, ScriptOutputType.VALUE, new String[0], parts);
  }
}
