package io.holdfast.seeding;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.BoundedDataSource;
import io.holdfast.postgres.ConnectionPool;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(RealServers.class)
class EpochCounterTest {
  private static final int POOL_SIZE = 3;
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static Service service;
  private static EpochCounter epochs;

  @BeforeAll
  static void start(TestServers servers, @TempDir Path data) {
    var settings = new HashMap<>(servers.settings());
    settings.put("holdfast.data", data.toString());
    settings.put("jdbc.pool-size", POOL_SIZE);
    service = Service.start(settings);
    epochs = service.context().getBean(EpochCounter.class);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void an_unknown_pool_has_no_epoch() {
    assertThat(epochs.next(new PoolName("nowhere"))).isEmpty();
  }

  @Test
  void a_new_pool_begins_with_epoch_one_and_each_next_one_is_higher_by_one(TestServers servers)
      throws SQLException {
    var pool = aPool(servers, "plain");

    var numbers = List.of(next(pool), next(pool), next(pool));

    assertThat(numbers).containsExactly(1L, 2L, 3L);
  }

  @Test
  void pools_are_numbered_apart(TestServers servers) throws SQLException {
    var one = aPool(servers, "one");
    var other = aPool(servers, "other");
    next(one);
    next(one);

    assertThat(next(other)).isEqualTo(1);
  }

  @Test
  void no_two_callers_get_the_same_number(TestServers servers) throws Exception {
    var pool = aPool(servers, "contended");

    var numbers = twoAtOnce(() -> IntStream.range(0, 50).mapToObj(_ -> next(pool)).toList());

    assertThat(numbers)
        .containsExactlyInAnyOrderElementsOf(LongStream.rangeClosed(1, 100).boxed().toList());
  }

  @Test
  void a_call_takes_a_connection_from_the_bounded_pool_and_gives_it_back(TestServers servers)
      throws SQLException {
    var pool = aPool(servers, "bounded");
    var bounded = (BoundedDataSource) service.context().getBean(ConnectionPool.class).dataSource();

    for (var i = 0; i < 5 * POOL_SIZE; i++) {
      next(pool);
    }

    Await.until(PATIENCE, () -> bounded.free() == POOL_SIZE); // the pulse borrows one at times
  }

  private static PoolName aPool(TestServers servers, String name) throws SQLException {
    try (var connection = servers.connection();
        var insert =
            connection.prepareStatement("INSERT INTO pool (pool, kind) VALUES (?, 'SEATS')")) {
      insert.setString(1, name);
      insert.executeUpdate();
    }
    return new PoolName(name);
  }

  private static long next(PoolName pool) {
    return epochs.next(pool).map(Epoch::value).orElseThrow();
  }

  private static List<Long> twoAtOnce(Callable<List<Long>> work)
      throws InterruptedException, ExecutionException {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var all = new ArrayList<Long>();
      for (Future<List<Long>> done : threads.invokeAll(List.of(work, work))) {
        all.addAll(done.get());
      }
      return all;
    }
  }
}
