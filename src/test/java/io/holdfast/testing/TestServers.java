package io.holdfast.testing;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Assumptions;

/// What one test class has of the servers: a database of its own in Postgres and one in Redis. A
/// Redis that was given to us may hold somebody's data, so only an empty database is ever taken,
/// and only that one is emptied afterwards.
public final class TestServers implements AutoCloseable {
  /// Has all scopes at every service that runs with `settings()`, as the caller `operator`.
  public static final String KEY = "key-of-the-operator-in-tests";

  /// Whether this run of tests is one without Redis.
  private static final boolean IS_WITHOUT_REDIS =
      System.getProperty("holdfast.test.intent", "redis").equals("postgres");

  private static final int REDIS_DATABASES = 16;
  private static final AtomicInteger COUNTER = new AtomicInteger();

  private final String redisUri;
  private final String jdbcUrl;
  private final String database;
  private final String maintenanceUrl;

  private TestServers(SharedServers shared) {
    this.database =
        "test_%d_%d".formatted(ProcessHandle.current().pid(), COUNTER.incrementAndGet());
    this.maintenanceUrl = shared.postgres();
    this.jdbcUrl = maintenanceUrl.replaceFirst("^(jdbc:postgresql://[^/]+/)[^?]*", "$1" + database);
    this.redisUri = IS_WITHOUT_REDIS ? "" : redisOf(shared);
    execute(maintenanceUrl, "CREATE DATABASE " + database);
  }

  static TestServers open(SharedServers shared) {
    return new TestServers(shared);
  }

  public String redisUri() {
    return redisUri;
  }

  public String jdbcUrl() {
    return jdbcUrl;
  }

  public Connection connection() {
    try {
      return DriverManager.getConnection(jdbcUrl);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  public boolean isWithoutRedis() {
    return IS_WITHOUT_REDIS;
  }

  /// Runs `work` on a plain connection to Redis, which is closed afterwards. A test that wants one
  /// does not apply to a run without Redis.
  public <T> T redis(Function<RedisCommands<String, String>, T> work) {
    Assumptions.assumeFalse(IS_WITHOUT_REDIS, "speaks to Redis itself");
    return isCluster(redisUri) ? ClusterCommands.on(redisUri, work) : redis(redisUri, work);
  }

  /// The settings of a service that uses these servers and any free port.
  public Map<String, Object> settings() {
    var settings = settingsWithoutRedis();
    if (!IS_WITHOUT_REDIS) {
      settings.remove("holdfast.intent");
      settings.put("redis.uri", redisUri);
    }
    return settings;
  }

  /// The same of one that keeps holds in Postgres.
  public Map<String, Object> settingsWithoutRedis() {
    return new HashMap<>(
        Map.of(
            "jdbc.url",
            jdbcUrl,
            "holdfast.intent",
            "postgres",
            "holdfast.port",
            0,
            "holdfast.operator-key",
            KEY));
  }

  /// The intent layer has forgotten everything, as by a loss of its memory.
  public void forgetHolds() {
    if (IS_WITHOUT_REDIS) {
      execute(
          jdbcUrl,
          "TRUNCATE intent_pool, intent_tally, intent_item, intent_hold, intent_token,"
              + " intent_journal");
    } else {
      redis(RedisCommands::flushdb);
    }
  }

  /// What the intent layer knows of a hold.
  public String record(String pool, long fence) {
    return IS_WITHOUT_REDIS
        ? intentRecord(pool, fence)
        : redis(redis -> redis.get("{p:%s}:hold:%d".formatted(pool, fence)));
  }

  private String intentRecord(String pool, long fence) {
    var sql = "SELECT intent_record(h) FROM intent_hold h WHERE pool = ? AND fence = ?";
    try (var connection = connection();
        var select = connection.prepareStatement(sql)) {
      select.setString(1, pool);
      select.setLong(2, fence);
      try (var row = select.executeQuery()) {
        return row.next() ? row.getString(1) : "";
      }
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  @Override
  public void close() {
    if (!IS_WITHOUT_REDIS) {
      redis(RedisCommands::flushdb);
    }
    execute(maintenanceUrl, "DROP DATABASE " + database + " WITH (FORCE)");
  }

  private static String redisOf(SharedServers shared) {
    return isCluster(shared.redis()) ? shared.redis() : emptyDatabase(shared.redis());
  }

  /// A cluster has one database, which no other test class uses meanwhile.
  private static boolean isCluster(String redis) {
    return redis.contains(",");
  }

  private static String emptyDatabase(String server) {
    for (var index = 0; index < REDIS_DATABASES; index++) {
      var uri = RedisURI.create(server);
      uri.setDatabase(index);
      if (redis(uri.toURI().toString(), RedisCommands::dbsize) == 0) {
        return uri.toURI().toString();
      }
    }
    throw new IllegalStateException(
        "every database of the Redis at REDIS_URI holds data; give the tests an empty one");
  }

  private static <T> T redis(String uri, Function<RedisCommands<String, String>, T> work) {
    try (var client = RedisClient.create(uri);
        var connection = client.connect()) {
      return work.apply(connection.sync());
    }
  }

  private static void execute(String url, String sql) {
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }
}
