package io.holdfast.journal;

import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.TestSchema;
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

/// A pool in both servers, as seeding and placing would have left it, by plain commands.
final class TestPool implements AutoCloseable {
  private static final int CHUNK = 1_000;
  private static final String APPEND =
      "for _, line in ipairs(ARGV) do redis.call('XADD', KEYS[1], '*', 'line', line) end return"
          + " 'OK'";
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
                "state", state, "epoch", "" + epoch, "run_id", runId.orElseThrow().substring(7)));
  }

  /// Appends lines as scripts do.
  void append(String... lines) {
    for (var start = 0; start < lines.length; start += CHUNK) {
      var chunk = Arrays.copyOfRange(lines, start, Math.min(lines.length, start + CHUNK));
      var keys = new String[] {name.key("journal")};
      redis().<Object>eval(APPEND, ScriptOutputType.STATUS, keys, chunk);
    }
  }

  /// Appends the lines of so many new holds, and keeps their records.
  List<HoldRecord> place(long first, long count) {
    var holds = LongStream.range(first, first + count).mapToObj(n -> Samples.aHold(1, n)).toList();
    var records = holds.stream().collect(Collectors.toMap(this::recordKey, HoldRecord::format));
    redis().mset(records);
    append(holds.stream().map(Samples::placed).toArray(String[]::new));
    return holds;
  }

  void keep(HoldRecord hold) {
    redis().set(recordKey(hold), hold.format());
  }

  boolean keeps(HoldRecord hold) {
    return redis().exists(recordKey(hold)) == 1;
  }

  private String recordKey(HoldRecord hold) {
    return name.key("hold:" + hold.fence());
  }

  long waiting() {
    return redis().xlen(name.key("journal"));
  }

  /// What is in Postgres of the journal, in order.
  List<String> stored() throws SQLException {
    return schema.texts(LINES.formatted(name));
  }

  /// How many of its holds are live in Postgres.
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
