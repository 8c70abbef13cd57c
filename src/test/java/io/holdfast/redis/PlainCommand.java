package io.holdfast.redis;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/// A Redis command as people write it, its parts divided by blanks; `␣` is a blank inside a part.
/// Beside those of Redis there are
/// - `FIELDS <key> <prefix>`: the fields of a hash whose names start so, without that start, and
///   their values;
/// - `SPEND <buckets> <window_ms> <ago_ms> <token> <entry>`: puts the entry of a token, recorded so
///   long ago, into its bucket; `buckets` is what their keys start with;
/// - `TOKEN <buckets> <token>`: its entry, from the latest bucket that has it.
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
      local function fields(key, start)
        local all, found = redis.call('HGETALL', key), {}
        for i = 1, #all, 2 do
          if string.sub(all[i], 1, #start) == start then
            found[#found + 1] = string.sub(all[i], #start + 1)
            found[#found + 1] = all[i + 1]
          end
        end
        return found
      end
      local function spend(buckets, window, ago, token, entry)
        local time = redis.call('TIME')
        local at = time[1] * 1000 + math.floor(time[2] / 1000) - ago
        local bucket = buckets .. string.format('%d', math.floor(at / window))
        return redis.call('HSET', bucket, token, string.format('%d', at) .. '\\t' .. entry)
      end
      local function token(buckets, name)
        local keys = redis.call('KEYS', buckets .. '*')
        table.sort(keys)
        for i = #keys, 1, -1 do
          local entry = redis.call('HGET', keys[i], name)
          if entry then
            return entry
          end
        end
      end
      local own = {FIELDS = fields, SPEND = spend, TOKEN = token}
      local command = own[ARGV[1]]
      if command then
        return text(command(unpack(ARGV, 2)))
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
