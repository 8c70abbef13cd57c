package io.holdfast.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.pool.StoredOutcome.Confirmed;
import io.holdfast.pool.StoredOutcome.Expired;
import io.holdfast.pool.StoredOutcome.Held;
import io.holdfast.pool.StoredOutcome.Invalid;
import io.holdfast.pool.StoredOutcome.Limit;
import io.holdfast.pool.StoredOutcome.NoSuchItem;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.pool.StoredOutcome.Released;
import io.holdfast.pool.StoredOutcome.Same;
import io.holdfast.pool.StoredOutcome.Taken;
import io.holdfast.testing.Samples;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The stored text of outcomes. Redis and Postgres contain such texts, so they must not change.
class OutcomeCodecTest {
  private static final HoldRecord HELD = Samples.aHold(1, 1);
  private static final HoldRecord SOLD =
      HELD.ended(HoldState.CONFIRMED, HELD.placedAt().plusMillis(7), null);
  private static final HoldRecord RELEASED =
      HELD.ended(HoldState.RELEASED, HELD.placedAt().plusMillis(7), null);
  private static final HoldRecord EXPIRED =
      HELD.ended(HoldState.EXPIRED, HELD.expiresAt(), EndReason.WINDOW);

  static Stream<Arguments> texts() {
    return Stream.of(
        Arguments.of("HELD\t" + HELD.format(), new Held(HELD)),
        Arguments.of("SAME\t" + HELD.format(), new Same(HELD)),
        Arguments.of("CONFIRMED\t" + SOLD.format(), new Confirmed(SOLD)),
        Arguments.of("RELEASED\t" + RELEASED.format(), new Released(RELEASED)),
        Arguments.of("EXPIRED\t" + EXPIRED.format(), new Expired(EXPIRED)),
        Arguments.of("TAKEN\tA-1\nA-2", new Taken(List.of("A-1", "A-2"))),
        Arguments.of("TAKEN\t", new Taken(List.of())),
        Arguments.of("NO_SUCH_ITEM\tZ-1\nZ-2", new NoSuchItem(List.of("Z-1", "Z-2"))),
        Arguments.of("LIMIT\t4", new Limit(4)),
        Arguments.of(
            "INVALID\titems\tThe field is empty.", new Invalid("items", "The field is empty.")),
        Arguments.of("INVALID\t\tNot JSON.", new Invalid(null, "Not JSON.")));
  }

  @ParameterizedTest
  @MethodSource("texts")
  void an_outcome_is_read_and_written_as_the_same_text(String text, StoredOutcome outcome) {
    assertThat(OutcomeCodec.parse(text)).isEqualTo(outcome);
    assertThat(OutcomeCodec.format(outcome)).isEqualTo(text);
  }

  @ParameterizedTest
  @EnumSource
  void a_reason_is_written_with_a_tab_and_read_with_or_without_it(Reason reason) {
    assertThat(OutcomeCodec.format(reason)).isEqualTo(reason + "\t");
    assertThat(OutcomeCodec.parse(reason + "\t")).isEqualTo(reason);
    assertThat(OutcomeCodec.parse(reason.name())).isEqualTo(reason);
  }

  @Test
  void the_time_of_a_sale_can_be_left_open() {
    var text = OutcomeCodec.formatWithOpenTime(new Confirmed(SOLD));
    var time = Long.toString(SOLD.endedAt().toEpochMilli());

    assertThat(text.replace("\u0001", time)).isEqualTo("CONFIRMED\t" + SOLD.format());
    assertThat(text).contains("\t\u0001\t");
  }

  @Test
  void a_text_that_is_no_outcome_is_refused() {
    assertThat(OutcomeCodec.find("OPENED", "")).isNull();
    assertThatThrownBy(() -> OutcomeCodec.parse("OPENED\t"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("OPENED");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\t", "\n", "\u001e", "\u0000"})
  void a_refusal_has_no_characters_that_divide_the_journal(String divider) {
    assertThatIllegalArgumentException().isThrownBy(() -> new Invalid("a" + divider, "No."));
    assertThatIllegalArgumentException().isThrownBy(() -> new Invalid(null, "No" + divider));
  }
}
