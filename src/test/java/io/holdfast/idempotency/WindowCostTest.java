package io.holdfast.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Folders;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.RedisTokens;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A window costs its entries times their size, and `docs/tokens.md` states the measured size.
@ExtendWith(RealServers.class)
class WindowCostTest {
  private static final int ENTRIES = 20_000;
  private static final Percentage ROUNDED = Percentage.withPercentage(15);

  private final TestServers servers;
  private final Api api;
  private final Records records;

  WindowCostTest(TestServers servers, Service service) {
    this.servers = servers;
    this.api = Api.of(service);
    this.records = new Records(servers, api);
  }

  @Requirement("IR-EC-06")
  @Test
  void the_documented_size_of_an_entry_is_correct_in_both_layers() throws Exception {
    var pool = api.pool(1, "{\"idempotencyWindowSeconds\":600}");
    var token = Api.token();
    api.place(pool, token, "ann", "A-1");
    records.words(pool);

    var bytesInRedis = new RedisTokens(servers, pool).bytesOf(token, ENTRIES) / ENTRIES;

    assertThat(bytesInRedis).isCloseTo(published("bytes in Redis"), ROUNDED);
    assertThat(bytesInPostgres(pool)).isCloseTo(published("bytes in Postgres"), ROUNDED);
  }

  /// A key of its own for each mark, so the name of the pool counts too.
  @Requirement("IR-EC-06")
  @Test
  void the_documented_size_of_the_mark_of_a_confirm_is_correct() throws Exception {
    var pool = "arena-2027";
    api.createPool(pool, List.of("A-1"), "{}");
    var hold = api.hold(pool, "ann", "A-1");
    var token = Api.token();
    api.confirm(hold, token, "ann", "order-1");
    var mark = "{p:%s}:committed:operator\t".formatted(pool);

    var bytes = servers.redis(redis -> bytesOfMarks(redis, mark, token));

    assertThat(bytes / ENTRIES).isCloseTo(published("bytes of mark in Redis"), ROUNDED);
  }

  /// The growth of the memory of Redis by copies of the mark, with their times to live.
  private static long bytesOfMarks(RedisCommands<String, String> redis, String mark, String token) {
    var text = redis.get(mark + token);
    var left = redis.pttl(mark + token);
    assertThat(left).isPositive();
    var before = usedMemory(redis);
    for (var i = 0; i < ENTRIES; i++) {
      redis.psetex(mark + Api.token(), left, text);
    }
    return usedMemory(redis) - before;
  }

  private static long usedMemory(RedisCommands<String, String> redis) {
    var line = Pattern.compile("used_memory:([0-9]+)").matcher(redis.info("memory"));
    assertThat(line.find()).isTrue();
    return Long.parseLong(line.group(1));
  }

  /// Copies of the entry, under as many tokens as random.
  private long bytesInPostgres(String pool) throws Exception {
    try (var connection = servers.connection();
        var statement = connection.createStatement()) {
      statement.execute("CREATE TABLE window_cost (LIKE token_result INCLUDING ALL)");
      statement.execute(
          """
          INSERT INTO window_cost
          SELECT pool, caller, gen_random_uuid()::text::bytea, action, digest, digest_function,
                 outcome, recorded_at, window_until + i * interval '1 millisecond'
            FROM token_result, generate_series(1, %d) AS i
           WHERE pool = '%s'
          """
              .formatted(ENTRIES, pool));
      try (var size =
          statement.executeQuery("SELECT pg_total_relation_size('window_cost') / " + ENTRIES)) {
        size.next();
        return size.getLong(1);
      } finally {
        statement.execute("DROP TABLE window_cost");
      }
    }
  }

  private static long published(String what) throws IOException {
    var page = Files.readString(Folders.project().resolve("docs/tokens.md"));
    var found = Pattern.compile("([0-9,]+) " + what).matcher(page);
    assertThat(found.find()).as(what).isTrue();
    return Long.parseLong(found.group(1).replace(",", ""));
  }
}
