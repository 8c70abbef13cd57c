package io.holdfast.onsale;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.onsale.OnSalePlan.Size;
import io.holdfast.onsale.Visitor.Behaviour;
import io.holdfast.testing.Api;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A small on-sale, and the plan of the large one.
@ExtendWith(RealServers.class)
@Tag("slow")
class OnSaleTest {
  private static final String DIGEST_OF_SEED_1 =
      "798a64b49b4de5d43b5c01ec8e42c50d26225e2b09293aa6f30e51bff0a1972d";

  @Test
  void the_plan_is_a_function_of_its_seed() {
    var plan = OnSalePlan.of(1, Size.FULL);

    assertThat(plan.digest()).isEqualTo(DIGEST_OF_SEED_1);
    assertThat(OnSalePlan.of(1, Size.FULL)).isEqualTo(plan);
    assertThat(OnSalePlan.of(2, Size.FULL).digest()).isNotEqualTo(plan.digest());
    assertThat(plan.visitors()).hasSize(20_000);
    assertThat(plan.count(Behaviour.BOT)).isBetween(1_800L, 2_200L);
  }

  @Test
  void four_hundred_people_get_forty_seats_in_the_order_of_their_tickets(TestServers servers)
      throws Exception {
    var settings = Map.<String, Object>of("holdfast.demo", "true", "holdfast.rate-limit", "off");
    try (var service = RealServers.start(servers, settings)) {
      var report = OnSale.run(OnSalePlan.of(1, Size.SMALL), Api.of(service), Rows.of(servers));

      assertThat(report.misses()).as(report.toString()).isEmpty();
    }
  }
}
