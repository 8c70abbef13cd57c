package io.holdfast.testing;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/// The databases of one test class: one in Postgres with the newest schema, and one in Redis. A
/// given Redis may contain other data, so only an empty database is used, and only that one is
/// flushed afterwards.
public final class TestServers implements AutoCloseable {
  /// The key of the caller `operator`, with all scopes, of every service that uses `settings()`.
  public static final String KEY = "key-of-the-operator-in-tests";

  /// The key of stream ids of every service that uses a given Postgres.
  public static final String ID_KEY = "1:secret-of-stream-ids-in-all-tests";

  private static final int REDIS_DATABASES = 16;
  private static final AtomicInteger COUNTER = new AtomicInteger();

  private final String redisUri;
  private final String jdbcUrl;
  private final String database;
  private final TemplateDatabase template;

  private TestServers(SharedServers shared) {
    this.database =
        "test_%d_%d".formatted(ProcessHandle.current().pid(), COUNTER.incrementAndGet());
    this.template = shared.template();
    this.redisUri = redisOf(shared);
    this.jdbcUrl = template.copyTo(database);
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

  /// Runs `work` on a plain connection to Redis, which is closed afterwards.
  public <T> T redis(Function<RedisCommands<String, String>, T> work) {
    return isCluster(redisUri) ? ClusterCommands.on(redisUri, work) : RedisCall.on(redisUri, work);
  }

  /// The settings of a service that uses these servers and any free port.
  public Map<String, Object> settings() {
    return new HashMap<>(
        Map.of(
            "redis.uri", redisUri,
            "jdbc.url", jdbcUrl,
            "holdfast.port", 0,
            "holdfast.operator-key", KEY,
            "holdfast.id-key", ID_KEY));
  }

  /// Deletes all data in Redis.
  public void forgetHolds() {
    redis(RedisCommands::flushdb);
  }

  /// The record of a hold in Redis.
  public String record(String pool, long fence) {
    return redis(redis -> redis.hget("{p:%s}:holds".formatted(pool), "" + fence));
  }

  /// Replaces the database by a new one with the newest schema and no rows.
  public void renewDatabase() {
    template.drop(database);
    template.copyTo(database);
  }

  @Override
  public void close() {
    redis(RedisCommands::flushdb);
    template.drop(database);
  }

  private static String redisOf(SharedServers shared) {
    return isCluster(shared.redis()) ? shared.redis() : emptyDatabase(shared.redis());
  }

  /// A cluster has one database, which test classes use one after the other.
  private static boolean isCluster(String redis) {
    return redis.contains(",");
  }

  private static String emptyDatabase(String server) {
    for (var index = 0; index < REDIS_DATABASES; index++) {
      var uri = RedisURI.create(server);
      uri.setDatabase(index);
      if (RedisCall.on(uri.toURI().toString(), RedisCommands::dbsize) == 0) {
        return uri.toURI().toString();
      }
    }
    throw new IllegalStateException(
        "every database of the Redis at REDIS_URI holds data; give the tests an empty one");
  }
}
