package io.holdfast.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/// Runs scripts: by hash, and by text once if that server has not seen the script yet, since the
/// script cache belongs to one node and is lost with it. A reply is a list that starts with a word.
@Singleton
public final class Scripts {
  private final RedisLink link;

  public Scripts(RedisLink link) {
    this.link = link;
  }

  /// Ends with the reply or with `RedisUnavailable`, never with anything of Lettuce. The run id of
  /// the server at the other end is put before the arguments, as `ARGV[1]` of every script.
  public CompletionStage<List<Object>> call(Script script, String[] keys, String... others) {
    var arguments = new String[others.length + 1];
    arguments[0] = link.runId().value();
    System.arraycopy(others, 0, arguments, 1, others.length);
    try {
      return link.commands()
          .<List<Object>>evalsha(script.sha1(), ScriptOutputType.MULTI, keys, arguments)
          .exceptionallyCompose(
              e ->
                  cause(e) instanceof RedisNoScriptException
                      ? link.commands().eval(script.text(), ScriptOutputType.MULTI, keys, arguments)
                      : CompletableFuture.failedStage(e))
          .exceptionally(
              e -> {
                throw RedisUnavailable.because(cause(e));
              });
    } catch (RedisException e) {
      return CompletableFuture.failedStage(RedisUnavailable.because(e));
    }
  }

  private static Throwable cause(Throwable e) {
    return e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
  }
}
