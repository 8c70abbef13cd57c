package io.holdfast.redis;

import io.holdfast.intent.Script;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;

/// An example put to the test: its call made twice on a real Redis.
///
/// @param left what the first call has left, as the example asks for it
/// @param before all that is there before the second call
/// @param after all that is there after it
record ScriptTrial(
    List<Object> first, List<String> left, Snapshot before, List<Object> second, Snapshot after) {

  static ScriptTrial of(RedisCommands<String, String> redis, String name, ScriptExample example) {
    redis.flushdb();
    PlainCommand.answers(redis, example.before());
    var first = run(redis, name, example);
    var left = PlainCommand.answers(redis, example.leaves().keySet());
    var before = Snapshot.halfALifeLater(redis);
    var second = run(redis, name, example);
    return new ScriptTrial(first, left, before, second, Snapshot.of(redis));
  }

  private static List<Object> run(
      RedisCommands<String, String> redis, String name, ScriptExample example) {
    return redis.eval(
        Script.named(name).text(),
        ScriptOutputType.MULTI,
        example.keys().toArray(String[]::new),
        example.arguments().toArray(String[]::new));
  }
}
