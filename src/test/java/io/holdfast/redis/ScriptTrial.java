package io.holdfast.redis;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;

/// An example put to the test: its script run twice on a real Redis.
///
/// @param left what the first run has left, as the example asks for it
/// @param before all that is there before the second run
/// @param after all that is there after it
record ScriptTrial(
    List<String> first, List<String> left, Snapshot before, List<String> second, Snapshot after) {

  static ScriptTrial of(RedisCommands<String, String> redis, String name, ScriptExample example) {
    redis.flushdb();
    PlainCommand.answers(redis, example.before());
    var first = run(redis, name, example);
    var left = PlainCommand.answers(redis, example.leaves().keySet());
    var before = Snapshot.halfALifeLater(redis);
    var second = run(redis, name, example);
    return new ScriptTrial(first, left, before, second, Snapshot.of(redis));
  }

  private static List<String> run(
      RedisCommands<String, String> redis, String name, ScriptExample example) {
    List<Object> reply =
        redis.eval(
            Script.named(name).text(),
            ScriptOutputType.MULTI,
            example.keys().toArray(String[]::new),
            example.arguments().toArray(String[]::new));
    return reply.stream().map(String::valueOf).toList();
  }
}
