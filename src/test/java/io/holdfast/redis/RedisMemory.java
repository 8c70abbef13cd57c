package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.lettuce.core.KeyValue;
import io.lettuce.core.Range;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;

/// A pool in a real Redis, whose scripts read the hour from a key and not from the server: so a
/// test can move the clock, and takes away itself what has expired by it. Lives are a thousand
/// times as long as the scripts say, so that no key expires by the server's clock meanwhile.
final class RedisMemory {
  private static final Set<String> OF_THE_POOL = Set.of("meta", "due", "journal", "holds");
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
  private final String prefix;
  private final Map<String, String> texts = new HashMap<>();

  RedisMemory(RedisCommands<String, String> redis) {
    this(redis, "arena");
  }

  RedisMemory(RedisCommands<String, String> redis, String pool) {
    this.redis = redis;
    this.prefix = "{p:%s}:".formatted(pool);
  }

  String key(String suffix) {
    return prefix + suffix;
  }

  public List<String> call(String script, Object... arguments) {
    List<Object> reply =
        redis.eval(
            texts.computeIfAbsent(script, name -> MOVABLE_CLOCK + Script.named(name).text()),
            ScriptOutputType.MULTI,
            new String[] {key("meta"), key("journal")},
            Stream.concat(Stream.of(Arena.OURS), Stream.of(arguments).map(String::valueOf))
                .toArray(String[]::new));
    return reply.stream().map(String::valueOf).toList();
  }

  public void setClock(long now) {
    redis.del(CLOCK);
    redis.rpush(CLOCK, String.valueOf(now / 1000), String.valueOf(now % 1000 * 1000 + 999));
  }

  public void sell(String item, String value) {
    redis.hset(key("meta"), "item:" + item, value);
  }

  public void loseAll() {
    redis.flushdb();
  }

  public void forget(List<String> gone) {
    gone.forEach(name -> redis.del(key(name)));
  }

  /// All that is there, with the lines of the journal one by one, however they came there.
  public Map<String, String> contents() {
    var contents = new TreeMap<String, String>();
    Snapshot.of(redis).values().entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(prefix))
        .forEach(
            entry -> contents.put(entry.getKey().substring(prefix.length()), entry.getValue()));
    contents.put("journal", lines().toString());
    return contents;
  }

  private List<String> lines() {
    return entries()
        .flatMap(
            entry -> {
              var head = entry[0].split("\t");
              return IntStream.range(1, entry.length)
                  .mapToObj(
                      i ->
                          "%s %s %d %s"
                              .formatted(head[0], head[1], number(head) + i - 1, entry[i]));
            })
        .toList();
  }

  private static long number(String[] head) {
    return Long.parseLong(head[2]);
  }

  public void assertIsAs(HoldModel model) {
    assertThat(strings("item:"))
        .isEqualTo(named(model.holders, holder -> String.valueOf(holder.fence())));
    assertThat(model.holders).allSatisfy((item, holder) -> assertLife(item, holder.lifeMs()));
    assertThat(redis.hgetall(key("holds"))).isEqualTo(named(model.holds, ModelHold::text));
    assertThat(buckets())
        .isEqualTo(named(model.tokens.buckets, b -> named(b, ModelTokens.Entry::text)));
    assertThat(requesters()).isEqualTo(requesters(model.held()));
    assertThat(redis.zrangeWithScores(key("due"), 0, -1))
        .extracting(due -> due.getValue() + " until " + (long) due.getScore())
        .containsExactlyInAnyOrderElementsOf(
            model.held().map(hold -> hold.fence + " until " + hold.leaseUntil).toList());
    var held = model.held().mapToInt(hold -> hold.wish.items().size()).sum();
    assertThat(redis.hmget(key("meta"), "epoch", "seq", "version", "held", "lines"))
        .extracting(field -> Long.valueOf(field.getValue()))
        .containsExactly(model.epoch, model.seq, model.version, (long) held, model.lines);
    assertThat(numbers(model.epoch))
        .containsExactlyElementsOf(LongStream.range(0, model.lines).boxed().toList());
    assertThat(ends()).doesNotHaveDuplicates();
    assertThat(ends())
        .containsAll(
            model.holds.values().stream()
                .filter(hold -> !hold.isHeld())
                .map(hold -> hold.fence)
                .toList());
    assertThat(endless()).allMatch(key -> OF_THE_POOL.contains(key.substring(prefix.length())));
  }

  public void assertIsAs(StockModel model) {
    assertThat(hash("holds")).isEqualTo(named(model.holds, ModelHold::text));
    assertThat(buckets())
        .isEqualTo(named(model.tokens.buckets, b -> named(b, ModelTokens.Entry::text)));
    assertThat(redis.zrangeWithScores(key("due"), 0, -1))
        .extracting(due -> due.getValue() + " until " + (long) due.getScore())
        .containsExactlyInAnyOrderElementsOf(
            model.held().map(hold -> hold.fence + " until " + hold.dueAt).toList());
    assertThat(hash("meta")).isEqualTo(meta(model));
    assertThat(strings("item:")).isEmpty();
    assertThat(endless()).allMatch(key -> OF_THE_POOL.contains(key.substring(prefix.length())));
  }

  private static Map<String, String> meta(StockModel model) {
    var meta = new TreeMap<>(Map.of("state", "OPEN", "kind", "STOCK", "run_id", Arena.OURS));
    meta.put("window", String.valueOf(ModelTokens.WINDOW_MS));
    meta.put("epoch", String.valueOf(model.epoch));
    meta.put("seq", String.valueOf(model.seq));
    meta.put("version", String.valueOf(model.version));
    meta.put("lines", String.valueOf(model.lines));
    meta.put("held", String.valueOf(model.heldUnits()));
    meta.put("sold", String.valueOf(model.sold));
    var stock = "%d %d/%d".formatted(model.stockVersion, model.sold, model.capacity);
    meta.put("item:stock", stock);
    requesters(model.held()).forEach((who, count) -> meta.put("who:" + who, count));
    return meta;
  }

  Map<String, String> hash(String suffix) {
    return redis.hgetall(key(suffix));
  }

  void dropRecords(Stream<String> fences) {
    fences.forEach(fence -> redis.hdel(key("holds"), fence));
  }

  private Map<String, String> requesters() {
    return redis.hgetall(key("meta")).entrySet().stream()
        .filter(field -> field.getKey().startsWith("who:"))
        .collect(Collectors.toMap(field -> field.getKey().substring(4), Map.Entry::getValue));
  }

  private static Map<String, String> requesters(Stream<ModelHold> held) {
    return held.collect(
        Collectors.groupingBy(
            ModelHold::who, Collectors.collectingAndThen(Collectors.counting(), String::valueOf)));
  }

  private static <V, T> Map<String, T> named(Map<?, V> values, Function<V, T> text) {
    return values.entrySet().stream()
        .collect(Collectors.toMap(e -> e.getKey().toString(), e -> text.apply(e.getValue())));
  }

  private Map<String, Map<String, String>> buckets() {
    var start = prefix + "tok:";
    return redis.keys(start + "*").stream()
        .collect(Collectors.toMap(key -> key.substring(start.length()), key -> redis.hgetall(key)));
  }

  private Map<String, String> strings(String kind) {
    var keys = redis.keys(prefix + kind + "*").toArray(String[]::new);
    return keys.length == 0
        ? Map.of()
        : redis.mget(keys).stream()
            .collect(
                Collectors.toMap(
                    found -> found.getKey().substring((prefix + kind).length()),
                    KeyValue::getValue));
  }

  public List<Long> ends() {
    return entries()
        .flatMap(entry -> Stream.of(entry).skip(1))
        .map(line -> line.split("\t"))
        .filter(
            line -> Set.of("RELEASED", "EXPIRED", "CONFIRMED").contains(line[5]) && line.length > 7)
        .map(line -> Long.valueOf(line[7]))
        .toList();
  }

  /// The numbers of the lines of an epoch: an entry tells that of its first one.
  private List<Long> numbers(long epoch) {
    return entries()
        .filter(entry -> entry[0].startsWith(epoch + "\t"))
        .flatMap(
            entry -> {
              var first = Long.parseLong(entry[0].split("\t")[2]);
              return LongStream.range(first, first + entry.length - 1).boxed();
            })
        .toList();
  }

  /// The entries of the journal: the head and then the lines of each.
  private Stream<String[]> entries() {
    return redis.xrange(key("journal"), Range.unbounded()).stream()
        .map(message -> message.getBody().get("lines").split("\u001e"));
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
    return redis.eval(endless, ScriptOutputType.MULTI, new String[0], prefix + "*");
  }
}
