package io.holdfast.ablation;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Requirement;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Each of the six bridges is needed: without it the first of its tests in the catalogue fails. The
/// same tests pass on the whole code, because they are part of this run.
@Tag("slow")
class BridgeAblationsTest {

  @Test
  @Requirement("BR-X-2")
  void without_the_ttl_an_abandoned_hold_keeps_its_seat() throws Exception {
    assertNoticed("lease that ends (BR-X-2)");
  }

  @Test
  @Requirement("BR-X-3")
  void without_the_idempotency_key_an_effect_is_repeated() throws Exception {
    assertNoticed("idempotency key (BR-X-3)");
  }

  @Test
  @Requirement("BR-X-4")
  void without_the_compare_and_set_a_sold_seat_is_sold_again() throws Exception {
    assertNoticed("compare-and-set (BR-X-4)");
  }

  @Test
  @Requirement("BR-X-5")
  void without_the_fencing_token_a_stale_holder_sells() throws Exception {
    assertNoticed("fence predicate (BR-X-5)");
  }

  @Test
  @Requirement("BR-X-6")
  void without_compensation_a_failed_checkout_keeps_what_it_did() throws Exception {
    assertNoticed("compensation (BR-X-6)");
  }

  @Test
  @Requirement("BR-X-7")
  void without_the_sequence_number_the_last_of_the_queue_is_admitted_first() throws Exception {
    assertNoticed("sequence number (BR-X-7)");
  }

  private static void assertNoticed(String safeguard) throws Exception {
    var ablation =
        Catalogue.all().filter(each -> each.name().equals(safeguard)).findFirst().orElseThrow();
    var test = ablation.tests().getFirst();

    assertThat(Ablations.failing(ablation, List.of(test)))
        .as("%s, which does not notice that there is no %s", test, safeguard)
        .anyMatch(name -> !name.startsWith("outside a test"));
  }
}
