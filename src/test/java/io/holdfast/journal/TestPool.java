package io.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.TestSchema;
import io.holdfast.redis.Script;
import io.holdfast.testing.Samples;
import io.holdfast.testing.TestServers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/// A pool in Redis and Postgres, written by plain commands as seeding and placing leave it.
final class TestPool implements AutoCloseable {
  private static final int CHUNK = 1_000;
  private static final String APPEND =
      """
      for _, entry in ipairs(ARGV) do
        local number = redis.call('HINCRBY', KEYS[2], 'lines', 1) - 1
        local epoch = redis.call('HGET', KEYS[2], 'epoch') or '1'
        local text = string.gsub(entry, '^%d+(\\t%d+\\t)0', epoch .. '%1' .. number)
        redis.call('XADD', KEYS[1], '*', 'lines', text)
      end
      return 'OK'
      """;
  private static final String LINES =
      "SELECT word || ' ' || detail FROM journal WHERE pool = '%s' ORDER BY recorded_at,"
          + " stream_seq";

  private final PoolName name;
  private final TestSchema schema;
  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;

  private TestPool(TestServers servers, String name) {
    this.name = new PoolName(name);
    this.schema = new TestSchema(servers);
    this.client = RedisClient.create(servers.redisUri());
    this.connection = client.connect();
  }

  static TestPool create(TestServers servers, String name) throws SQLException {
    var pool = new TestPool(servers, name);
    pool.schema.execute(
        "INSERT INTO pool (pool, kind, epoch) VALUES ('%s', 'SEATS', 1)".formatted(name));
    pool.seed("OPEN", 1);
    return pool;
  }

  PoolName name() {
    return name;
  }

  RedisCommands<String, String> redis() {
    return connection.sync();
  }

  void seed(String state, long epoch) {
    var runId = redis().info("server").lines().filter(l -> l.startsWith("run_id:")).findFirst();
    redis()
        .hset(
            name.key("meta"),
            Map.of(
                "state",
                state,
                "epoch",
                "" + epoch,
                "window",
                "60000",
                "run_id",
                runId.orElseThrow().substring(7)));
    note();
  }

  /// Appends entries of one line each, as scripts do.
  void append(String... entries) {
    for (var start = 0; start < entries.length; start += CHUNK) {
      var chunk = Arrays.copyOfRange(entries, start, Math.min(entries.length, start + CHUNK));
      var keys = new String[] {name.key("journal"), name.key("meta")};
      redis().<Object>eval(APPEND, ScriptOutputType.STATUS, keys, chunk);
    }
    note();
  }

  /// Enters the pool in the index, as `ActivePools` does after a write.
  void note() {
    var keys = new String[] {"{holdfast}:sweep", "{holdfast}:drain"};
    var note = Script.named("index/note").text();
    redis().<Object>eval(note, ScriptOutputType.MULTI, keys, "", name.value(), "", "1");
  }

  /// Appends the lines of new holds and writes their records.
  List<HoldRecord> place(long first, long count) {
    var holds = LongStream.range(first, first + count).mapToObj(n -> Samples.aHold(1, n)).toList();
    var records =
        holds.stream().collect(Collectors.toMap(h -> h.fence().toString(), HoldRecord::format));
    redis().hset(name.key("holds"), records);
    append(holds.stream().map(Samples::placed).toArray(String[]::new));
    return holds;
  }

  void keep(HoldRecord hold) {
    redis().hset(name.key("holds"), hold.fence().toString(), hold.format());
  }

  boolean keeps(HoldRecord hold) {
    return redis().hexists(name.key("holds"), hold.fence().toString());
  }

  long waiting() {
    return redis().xlen(name.key("journal"));
  }

  /// The stored lines in order.
  List<String> stored() throws SQLException {
    return schema.texts(LINES.formatted(name));
  }

  /// The lines that Postgres keeps of holds that were placed for one requester.
  List<String> heldLines(List<HoldRecord> holds) throws SQLException {
    var query = "SELECT DISTINCT pseudonym FROM hold WHERE pool = '%s'";
    var pseudonyms = schema.texts(query.formatted(name));
    assertThat(pseudonyms).hasSize(1).allMatch(each -> each.matches("p:[0-9a-f]{32}"));
    return holds.stream()
        .map(hold -> "HELD " + hold.unnamed(pseudonyms.getFirst()).format())
        .toList();
  }

  /// The number of live holds in Postgres.
  int live() throws SQLException {
    var query = "SELECT hold_id FROM hold WHERE pool = '%s' AND state = 'HELD'";
    return schema.texts(query.formatted(name)).size();
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown();
  }
}
