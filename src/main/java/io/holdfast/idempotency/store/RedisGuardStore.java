package io.holdfast.idempotency.store;

import io.holdfast.idempotency.guard.GuardEntry;
import io.holdfast.idempotency.guard.GuardRules;
import io.holdfast.idempotency.guard.GuardStore;
import io.holdfast.idempotency.guard.GuardStoreUnavailable;
import io.holdfast.idempotency.guard.GuardWindow;
import io.holdfast.redis.RedisConnections;
import io.holdfast.redis.RedisScripts;
import io.holdfast.redis.Script;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.Range.Boundary;
import io.lettuce.core.RedisException;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/// Stores the identities of guards in Redis: shared by all instances, and lost with the epoch. One
/// sorted set per guard. May block.
@Singleton
public final class RedisGuardStore implements GuardStore {
  private static final Script RECORD = Script.named("guard/record");
  private static final Script PURGE = Script.named("guard/purge");
  private static final String PURGE_MAX = "100";

  private final RedisConnections link;
  private final RedisScripts scripts;

  public RedisGuardStore(RedisConnections link, RedisScripts scripts) {
    this.link = link;
    this.scripts = scripts;
  }

  @Override
  public void record(GuardRules rules, String identity, Instant now) {
    var window = Long.toString(rules.window().toMillis());
    await(scripts.call(RECORD, key(rules), identity, ms(now), window));
  }

  @Override
  public Optional<Instant> recordedAt(GuardRules rules, String identity) {
    var score = await(() -> link.commands().zscore(key(rules)[0], identity));
    return Optional.ofNullable(score).map(RedisGuardStore::moment);
  }

  @Override
  public int purge(GuardRules rules, Instant now) {
    var expiredUntil = ms(GuardWindow.expiredUntil(now, rules.window()));
    var reply = await(scripts.call(PURGE, key(rules), expiredUntil, PURGE_MAX));
    return Integer.parseInt(reply.get(1));
  }

  @Override
  public List<GuardEntry> underGuard(GuardRules rules, Instant now, int skip, int limit) {
    return await(
            () ->
                link.commands()
                    .zrangebyscoreWithScores(
                        key(rules)[0], inWindow(rules, now), Limit.create(skip, limit)))
        .stream()
        .map(found -> new GuardEntry(found.getValue(), moment(found.getScore())))
        .toList();
  }

  @Override
  public long count(GuardRules rules, Instant now) {
    return await(() -> link.commands().zcount(key(rules)[0], inWindow(rules, now)));
  }

  private static Range<Number> inWindow(GuardRules rules, Instant now) {
    return Range.from(
        Boundary.excluding(GuardWindow.expiredUntil(now, rules.window()).toEpochMilli()),
        Boundary.unbounded());
  }

  private static String[] key(GuardRules rules) {
    return new String[] {"{g:" + rules.name() + "}:recorded"};
  }

  private static String ms(Instant moment) {
    return Long.toString(moment.toEpochMilli());
  }

  private static Instant moment(double ms) {
    return Instant.ofEpochMilli((long) ms);
  }

  private interface Command<T> {
    CompletionStage<T> send();
  }

  /// A command that cannot be sent throws at once.
  private static <T> T await(Command<T> command) {
    try {
      return await(command.send());
    } catch (RedisException e) {
      throw new GuardStoreUnavailable(e);
    }
  }

  /// The timeout of the connection ends every wait.
  private static <T> T await(CompletionStage<T> answer) {
    try {
      return answer.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw new GuardStoreUnavailable(e.getCause() == null ? e : e.getCause());
    }
  }
}
