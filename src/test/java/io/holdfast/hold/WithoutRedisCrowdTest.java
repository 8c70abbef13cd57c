package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A crowd at two instances without Redis: whatever it asks for at once, the records are in order.
@ExtendWith(RealServers.class)
class WithoutRedisCrowdTest {
  private static final int CALLERS = 8;
  private static final int CALLS = 40;
  private static final int SEATS = 12;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final long seed =
      Optional.ofNullable(System.getenv("HOLDFAST_SEED"))
          .map(Long::valueOf)
          .orElseGet(System::nanoTime);

  @Test
  void whatever_is_asked_at_once_the_auditor_finds_nothing(TestServers servers) {
    System.out.println("HOLDFAST_SEED=" + seed);
    try (var one = start(servers);
        var other = start(servers)) {
      var instances = List.of(Api.of(one), Api.of(other));
      var api = instances.getFirst();
      var policy = "{\"leaseSeconds\":1,\"windowSeconds\":2,\"maxHoldsPerRequester\":3}";
      var pool = api.pool(SEATS, policy);

      var answers = Together.run(CALLERS, i -> new Customer(instances, pool, i).run());

      assertThat(answers.stream().flatMap(List::stream))
          .allMatch(answer -> answer.statusCode() < 500, "is definite");
      var records = new Records(servers, api);
      Await.until(PATIENCE, () -> live(records, pool) == 0);
      assertThat(counts(api, pool)).isEqualTo("0 held");
      assertThat(ends(records, pool)).isEqualTo(records.holds(pool));
      var report = Http.json(api.get("/v1/audit/report"));
      assertThat(report.get("ok").asBoolean()).as(report.toPrettyString()).isTrue();
    }
  }

  private static Service start(TestServers servers) {
    return RealServers.startWithoutRedis(servers, Map.of("holdfast.rate-limit", "0"));
  }

  private static long live(Records records, String pool) {
    records.holds(pool);
    return Long.parseLong(
        records
            .texts("SELECT count(*) FROM hold WHERE pool = ? AND state = 'HELD'", pool)
            .getFirst());
  }

  /// Each hold ends once: a line for every end, and none twice.
  private static long ends(Records records, String pool) {
    return Long.parseLong(
        records
            .texts(
                "SELECT count(*) FROM journal WHERE pool = ? AND fence IS NOT NULL"
                    + " AND word IN ('RELEASED', 'EXPIRED', 'CONFIRMED')",
                pool)
            .getFirst());
  }

  private static String counts(Api api, String pool) {
    return api.counts(pool).replaceFirst(".* free, ", "");
  }

  /// Asks for this and that, mostly for what it has.
  private final class Customer {
    private final List<Api> instances;
    private final String pool;
    private final String name;
    private final Random random;
    private final List<Api.Hold> holds = new ArrayList<>();
    private String token = Api.token();

    Customer(List<Api> instances, String pool, int number) {
      this.instances = instances;
      this.pool = pool;
      this.name = "u" + number;
      this.random = new Random(seed + number);
    }

    List<HttpResponse<String>> run() {
      return Stream.generate(this::step).limit(CALLS).toList();
    }

    private HttpResponse<String> step() {
      var api = instances.get(random.nextInt(2));
      var kind = random.nextInt(10);
      if (kind < 5 || holds.isEmpty()) {
        return place(api);
      }
      var hold = holds.get(random.nextInt(holds.size()));
      return switch (kind) {
        case 5, 6 -> api.heartbeat(hold.id(), name, hold.fence());
        case 7, 8 -> api.release(hold.id(), Api.token(), name);
        default ->
            random.nextInt(4) == 0
                ? api.confirm(hold, Api.token(), name, "order-" + hold.fence())
                : api.expire(hold.id(), Api.token(), true);
      };
    }

    private HttpResponse<String> place(Api api) {
      token = random.nextInt(6) == 0 ? token : Api.token();
      var first = 1 + random.nextInt(SEATS - 2);
      var items =
          Stream.iterate(first, seat -> seat + 1)
              .limit(1 + random.nextInt(3))
              .map(seat -> "A-" + seat)
              .toArray(String[]::new);
      var answer = api.place(pool, token, name, items);
      if (answer.statusCode() == 201) {
        holds.add(Api.Hold.of(answer));
      }
      return answer;
    }
  }
}
