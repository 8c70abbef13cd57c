package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.holdfast.intent.Script;
import io.lettuce.core.KeyValue;
import io.lettuce.core.Range;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;

/// A pool in a real Redis, whose scripts read the hour from a key and not from the server: so a
/// test can move the clock, and takes away itself what has expired by it. Lives are a thousand
/// times as long as the scripts say, so that no key expires by the server's clock meanwhile.
final class RedisMemory implements HoldMemory {
  private static final String PREFIX = "{p:arena}:";
  private static final Set<String> OF_THE_POOL = Set.of("meta", "due", "journal");
  private static final String CLOCK = "clock";
  private static final long SLOWER = 1_000;
  private static final String MOVABLE_CLOCK =
      """
      local server = redis
      local redis = {pcall = server.pcall}
      function redis.call(command, ...)
        local arguments = {...}
        for i, argument in ipairs(arguments) do
          if command == 'PEXPIRE' and i == 2 or arguments[i - 1] == 'PX' then
            arguments[i] = argument * %d
          end
        end
        if command == 'TIME' then
          return server.call('LRANGE', '%s', 0, 1)
        end
        return server.call(command, unpack(arguments))
      end
      """
          .formatted(SLOWER, CLOCK);

  private final RedisCommands<String, String> redis;
  private final Map<String, String> texts = new HashMap<>();

  RedisMemory(RedisCommands<String, String> redis) {
    this.redis = redis;
  }

  static String key(String suffix) {
    return PREFIX + suffix;
  }

  @Override
  public List<Object> call(String script, List<String> keys, Object... arguments) {
    return redis.eval(
        texts.computeIfAbsent(script, name -> MOVABLE_CLOCK + Script.named(name).text()),
        ScriptOutputType.MULTI,
        keys.stream().map(RedisMemory::key).toArray(String[]::new),
        Stream.concat(Stream.of(Arena.OURS), Stream.of(arguments).map(String::valueOf))
            .toArray(String[]::new));
  }

  @Override
  public void setClock(long now) {
    redis.del(CLOCK);
    redis.rpush(CLOCK, String.valueOf(now / 1000), String.valueOf(now % 1000 * 1000 + 999));
  }

  @Override
  public void sell(String item, String value) {
    redis.hset(key("meta"), "item:" + item, value);
  }

  @Override
  public void loseAll() {
    redis.flushdb();
  }

  @Override
  public void forget(List<String> gone) {
    gone.forEach(name -> redis.del(key(name)));
  }

  @Override
  public void assertIsAs(HoldModel model) {
    assertThat(strings("item:"))
        .isEqualTo(named(model.holders, holder -> String.valueOf(holder.fence())));
    assertThat(model.holders).allSatisfy((item, holder) -> assertLife(item, holder.lifeMs()));
    assertThat(strings("hold:")).isEqualTo(named(model.holds, ModelHold::text));
    assertThat(strings("tok:")).isEqualTo(named(model.entries, RedisMemory::text));
    assertThat(requesters()).isEqualTo(requesters(model));
    assertThat(redis.zrangeWithScores(key("due"), 0, -1))
        .extracting(due -> due.getValue() + " until " + (long) due.getScore())
        .containsExactlyInAnyOrderElementsOf(
            model.held().map(hold -> hold.fence + " until " + hold.leaseUntil).toList());
    var held = model.held().mapToInt(hold -> hold.wish.items().size()).sum();
    assertThat(redis.hmget(key("meta"), "epoch", "seq", "version", "held"))
        .extracting(field -> Long.valueOf(field.getValue()))
        .containsExactly(model.epoch, model.seq, model.version, (long) held);
    assertThat(ends()).doesNotHaveDuplicates();
    assertThat(ends())
        .containsAll(
            model.holds.values().stream()
                .filter(hold -> !hold.isHeld())
                .map(hold -> hold.fence)
                .toList());
    assertThat(endless()).allMatch(key -> OF_THE_POOL.contains(key.substring(PREFIX.length())));
  }

  private Map<String, String> requesters() {
    return redis.hgetall(key("meta")).entrySet().stream()
        .filter(field -> field.getKey().startsWith("who:"))
        .collect(Collectors.toMap(field -> field.getKey().substring(4), Map.Entry::getValue));
  }

  private static Map<String, String> requesters(HoldModel model) {
    return model
        .held()
        .collect(
            Collectors.groupingBy(
                ModelHold::who,
                Collectors.collectingAndThen(Collectors.counting(), String::valueOf)));
  }

  /// A hold that was placed is kept in short: fence, salt, and when.
  private static String text(HoldModel.Entry entry) {
    if (entry.outcome().getFirst().equals("HELD")) {
      var record = String.valueOf(entry.outcome().get(1)).split("\t");
      return String.join(
          "\t", entry.action(), entry.digest(), "HELD", record[1], record[2], record[5]);
    }
    return "%s\t%s\t%s"
        .formatted(
            entry.action(),
            entry.digest(),
            String.join("\t", entry.outcome().stream().map(String::valueOf).toList()));
  }

  private static <V> Map<String, String> named(Map<?, V> values, Function<V, String> text) {
    return values.entrySet().stream()
        .collect(Collectors.toMap(e -> e.getKey().toString(), e -> text.apply(e.getValue())));
  }

  private Map<String, String> strings(String kind) {
    var keys = redis.keys(PREFIX + kind + "*").toArray(String[]::new);
    return keys.length == 0
        ? Map.of()
        : redis.mget(keys).stream()
            .collect(
                Collectors.toMap(
                    found -> found.getKey().substring((PREFIX + kind).length()),
                    KeyValue::getValue));
  }

  @Override
  public List<Long> ends() {
    return redis.xrange(key("journal"), Range.unbounded()).stream()
        .map(message -> message.getBody().get("line").split("\t"))
        .filter(line -> Set.of("RELEASED", "EXPIRED").contains(line[7]))
        .map(line -> Long.valueOf(line[9]))
        .toList();
  }

  private void assertLife(String item, long lifeMs) {
    var slack = Duration.ofMinutes(10).toMillis();
    assertThat(redis.pttl(key("item:" + item))).isBetween(SLOWER * lifeMs - slack, SLOWER * lifeMs);
  }

  private List<String> endless() {
    var endless =
        """
        local endless = {}
        for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
          if redis.call('PTTL', key) < 0 then
            endless[#endless + 1] = key
          end
        end
        return endless
        """;
    return redis.eval(endless, ScriptOutputType.MULTI, new String[0], PREFIX + "*");
  }
}
