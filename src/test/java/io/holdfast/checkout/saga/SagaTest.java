package io.holdfast.checkout.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testing.Requirement;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Valid and invalid declarations of sagas.
class SagaTest {
  private final Trip trip = new Trip();

  @Test
  @Requirement("BR-S-4")
  void a_step_without_compensation_must_be_the_last_one() {
    var email = trip.irrevocable("email");

    assertThatThrownBy(() -> new Saga("trip", List.of(trip.step("hotel"), email, trip.step("pay"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("email cannot be undone, so nothing may come after it");
    assertThat(new Saga("trip", List.of(trip.step("hotel"), trip.step("pay"), email)).steps())
        .hasSize(3);
  }

  @Test
  void two_steps_of_one_name_and_no_steps_at_all_are_refused() {
    assertThatThrownBy(() -> new Saga("trip", List.of(trip.step("hotel"), trip.step("hotel"))))
        .hasMessageContaining("no two steps of one name");
    assertThatThrownBy(() -> new Saga("trip", List.of())).hasMessageContaining("1 to 20 steps");
  }
}
