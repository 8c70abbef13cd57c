package io.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.load.HoldTexts;
import io.holdfast.load.Numbered;
import io.holdfast.load.Requests;
import io.holdfast.load.Seats;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class NumberedTest {
  private static final String TEXT = HoldTexts.POOL + " " + HoldTexts.ITEM + " ";

  @Test
  void every_request_has_an_item_of_its_own() {
    var numbers = new AtomicLong(99);
    var requests = new Numbered(TEXT, numbers::getAndIncrement, Seats.inOrder(100));

    assertThat(next(requests)).isEqualTo("b000 S-000099 ");
    assertThat(next(requests)).isEqualTo("b001 S-000000 ");
  }

  @Test
  void pools_take_turns_where_they_should() {
    var numbers = new AtomicLong(9);
    var requests = new Numbered(TEXT, numbers::getAndIncrement, Seats.byTurns(10));

    assertThat(next(requests)).isEqualTo("b009 S-000000 ");
    assertThat(next(requests)).isEqualTo("b000 S-000001 ");
  }

  @Test
  void further_pools_take_turns_when_the_first_are_used_up() {
    var numbers = new AtomicLong(199);
    var requests = new Numbered(TEXT, numbers::getAndIncrement, Seats.byTurnsInOrder(2, 100));

    assertThat(next(requests)).isEqualTo("b001 S-000099 ");
    assertThat(next(requests)).isEqualTo("b002 S-000000 ");
    assertThat(next(requests)).isEqualTo("b003 S-000000 ");
  }

  @Test
  void rivals_want_only_what_is_taken() {
    var numbers = new AtomicLong();
    var requests = new Numbered(TEXT, numbers::getAndIncrement, Seats.inOrder(100).only(250, 2));

    assertThat(next(requests)).isEqualTo("b002 S-000050 ");
    assertThat(next(requests)).isEqualTo("b002 S-000051 ");
    assertThat(next(requests)).isEqualTo("b002 S-000050 ");
  }

  @Test
  void a_number_that_does_not_fit_is_not_cut_off() {
    var requests = new Numbered(TEXT, () -> 100_000_000, Seats.inOrder(100));

    assertThatThrownBy(() -> next(requests)).hasMessageContaining("more digits");
  }

  @Test
  void a_command_is_overheard_with_its_control_characters() {
    var line = "1.5 [0 127.0.0.1:1] \"EVALSHA\" \"a\\\"b\" \"c\\td\" \"\\xe9\"";

    assertThat(MonitorLine.words(line)).isEqualTo(List.of("EVALSHA", "a\"b", "c\td", "é"));
    assertThat(MonitorLine.words("1.5 [0 lua] \"get\" \"key\"")).isEmpty();
  }

  private static String next(Requests requests) {
    var out = ByteBuffer.allocate(100);
    requests.next(out);
    return new String(out.array(), 0, out.position(), StandardCharsets.ISO_8859_1);
  }
}
