package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.util.ArrayList;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Every grant has a new id and a fence above all earlier ones.
@ExtendWith(RealServers.class)
@Tag("cluster")
class FencesGrowTest {
  private static Api api;
  private static Records records;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    api = Api.of(service);
    records = new Records(servers, api);
  }

  @Test
  @Requirement({"PC-INV-9", "BR-F-1"})
  void every_grant_of_a_seat_has_a_new_id_and_a_higher_fence() {
    var pool = api.pool(1);
    var holds = new ArrayList<Api.Hold>();

    for (var i = 0; i < 20; i++) {
      holds.add(api.hold(pool, "ann", "A-1"));
      api.release(holds.getLast().id(), Api.token(), "ann");
    }

    assertThat(holds).extracting(Api.Hold::id).doesNotHaveDuplicates();
    assertThat(holds).extracting(Api.Hold::fence).isSorted().doesNotHaveDuplicates();
  }

  @Test
  @Requirement({"PC-INV-9", "BR-F-1"})
  void concurrent_grants_have_fences_in_the_order_of_the_journal() {
    var pool = api.pool(50);

    var holds = Together.run(50, i -> api.hold(pool, "u" + i, "A-" + (i + 1)));

    assertThat(holds).extracting(Api.Hold::fence).doesNotHaveDuplicates();
    records.words(pool);
    var inOrder =
        records.texts(
            "SELECT fence FROM journal WHERE pool = ? AND word = 'HELD'"
                + " ORDER BY recorded_at, stream_seq",
            pool);
    assertThat(inOrder.stream().map(Long::parseLong)).hasSize(50).isSorted();
  }
}
