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
import java.io.IOException;
import java.nio.file.Files;
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
