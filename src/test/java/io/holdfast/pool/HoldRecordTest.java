package io.holdfast.pool;

import static io.holdfast.testing.Samples.NOON;
import static io.holdfast.testing.Samples.aHold;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.testing.Requirement;
import io.holdfast.testing.Samples;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Holds, their ids, and the lines that speak of them, as they are written.
class HoldRecordTest {
  private static final PoolName ARENA = new PoolName("arena");
  private static final JournalPosition PLACE = new JournalPosition(1_700_000_000_000L, 4);
  private static final String WRITTEN =
      "HELD\t4294967297\t0123456789abcdef\tshop\tanna\t1000\t2000\t3000\t1000\t\t\t0\ttoken\tA-1\n"
          + "A-2\t\t{\"a\":1}";

  @Test
  void a_record_is_read_and_written_in_the_order_that_is_agreed_on() {
    var hold = HoldRecord.parse(WRITTEN);

    assertThat(hold.format()).isEqualTo(WRITTEN);
    assertThat(hold.placedAt().toEpochMilli()).isEqualTo(1_000);
    assertThat(hold.leaseUntil().toEpochMilli()).isEqualTo(2_000);
    assertThat(hold.expiresAt().toEpochMilli()).isEqualTo(3_000);
    assertThat(hold.items()).containsExactly(new ItemId("A-1"), new ItemId("A-2"));
    assertThat(hold.fence()).isEqualTo(Samples.fence(1, 1));
    assertThat(hold.fence().epoch()).isEqualTo(new Epoch(1));
  }

  @Test
  void a_record_of_a_quantity_names_its_units_by_its_fence() {
    var written = WRITTEN.replace("A-1\nA-2\t\t", "\t3\t");
    var hold = HoldRecord.parse(written);

    assertThat(hold.format()).isEqualTo(written);
    assertThat(hold.quantity()).isEqualTo(3);
    assertThat(hold.metadata()).isEqualTo("{\"a\":1}");
    assertThat(hold.itemLines()).isEqualTo("4294967297-1\n4294967297-2\n4294967297-3");
    assertThat(hold.withQuantity(2).format()).isEqualTo(written.replace("\t3\t{", "\t2\t{"));
  }

  @ParameterizedTest
  @MethodSource("endings")
  void a_record_of_an_ended_hold_comes_back_as_it_was(HoldRecord hold) {
    assertThat(HoldRecord.parse(hold.format())).isEqualTo(hold);
  }

  static Stream<HoldRecord> endings() {
    return Stream.of(
        Samples.released(aHold(1, 1), NOON),
        Samples.expired(aHold(1, 1), EndReason.FORCED, NOON.plusSeconds(1)),
        Samples.expired(aHold(1, 1), EndReason.LEASE, NOON.plusSeconds(600)),
        Samples.expired(aHold(1, 1), EndReason.WINDOW, NOON.plusSeconds(1_800)));
  }

  @Requirement({"PC-INV-1", "PC-INV-6", "PC-INV-8"})
  @ParameterizedTest(name = "{0} instead of {1}")
  @CsvSource(
      textBlock =
          """
          LOST,                      HELD
          RELEASED,                  HELD
          'HELD\t0\t',               'HELD\t4294967297\t'
          'HELD\t9007199254740992\t','HELD\t4294967297\t'
          '\t3000\t2000\t3000\t',    '\t1000\t2000\t3000\t'
          '\t1000\t3001\t3000\t',    '\t1000\t2000\t3000\t'
          '\t3000\t0\t',             '\t3000\t1000\t'
          '\t1000\t2500\t\t0\t',     '\t1000\t\t\t0\t'
          '\t1000\t\tLEASE\t0\t',    '\t1000\t\t\t0\t'
          '\t\t{\t',                '\t\t{'
          '\t{',                     '\t\t{'
          '\tx\t{',                 '\t\t{'
          """)
  void an_invalid_hold_record_is_refused(String instead, String of) {
    var text = WRITTEN.replace(of.replace("\\t", "\t"), instead.replace("\\t", "\t"));

    assertThat(text).isNotEqualTo(WRITTEN);
    assertThatIllegalArgumentException().isThrownBy(() -> HoldRecord.parse(text));
  }

  /// Records that were written before there were quantities are still in Redis and in stored
  /// answers.
  @Test
  void a_record_without_quantity_and_metadata_is_one_of_items() {
    var written = aHold(1, 1).format();
    var earlier = written.substring(0, written.length() - 2);

    assertThat(earlier.split("\t", -1)).hasSize(14);
    assertThat(HoldRecord.parse(earlier)).isEqualTo(aHold(1, 1));
  }

  @ParameterizedTest
  @CsvSource({"LEASE,599", "WINDOW,1799"})
  void a_time_limit_ends_no_hold_before_its_time(EndReason reason, long seconds) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Samples.expired(aHold(1, 1), reason, NOON.plusSeconds(seconds)))
        .withMessageContaining("has run out");
  }

  @Test
  void an_id_is_read_as_it_is_written() {
    var id = aHold(1, 1).id(ARENA);

    assertThat(id).hasToString("arena~1z141z5~0123456789abcdef");
    assertThat(HoldId.parse(id.toString())).contains(id);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "arena",
        "arena~1z141z5",
        "arena~1Z141Z5~0123456789abcdef",
        "arena~01z141z5~0123456789abcdef",
        "arena~0~0123456789abcdef",
        "arena~-5~0123456789abcdef",
        "arena~2gosa7pa2gw~0123456789abcdef",
        "arena~zzzzzzzzzzzzz~0123456789abcdef",
        "arena~1z141z5~0123456789abcdeF",
        "arena~1z141z5~0123456789abcdew",
        "arena~1z141z5~0123456789abcde",
        "are na~1z141z5~0123456789abcdef",
        "~1z141z5~0123456789abcdef",
        "arena~1z141z5~0123456789abcdef\n"
      })
  void an_invalid_id_names_no_hold(String text) {
    assertThat(HoldId.parse(text)).isEmpty();
  }

  @Test
  void a_line_of_a_call_is_read() {
    var hold = aHold(1, 1);

    var line = JournalLine.parse(PLACE, new Epoch(9), Samples.placed(hold)).getFirst();

    assertThat(line.epoch()).isEqualTo(new Epoch(1));
    assertThat(line.call().action()).isEqualTo(TokenAction.PLACE_HOLD);
    assertThat(line.call().token()).isEqualTo("t1");
    assertThat(line.hold()).isEqualTo(hold);
    assertThat(line.storedText()).isEqualTo("HELD\t" + hold.format());
  }

  @Test
  void all_lines_of_an_entry_are_read_and_each_has_a_place_of_its_own() {
    var text = "3\t5\t0\u001e\t\t\t\t\tOPENED\tflushed\u001eshop\tt\texpire\t1:d\t9\tNOT_KNOWN";
    var lines = JournalLine.parse(JournalPosition.ofEntry("7-2"), new Epoch(9), text);
    var opened = lines.getFirst();
    var refused = lines.getLast();

    assertThat(lines).extracting(line -> line.id().entry()).containsExactly("7-2", "7-2");
    assertThat(opened.id()).isLessThan(refused.id());
    assertThat(refused.id()).isLessThan(JournalPosition.ofEntry(refused.id().nextEntry()));
    assertThat(lines).allMatch(line -> line.epoch().value() == 3 && line.at().toEpochMilli() == 5);
    assertThat(opened.call()).isNull();
    assertThat(opened.storedText()).isEqualTo("OPENED\tflushed");
    assertThat(refused.storedText()).isEqualTo("NOT_KNOWN");
    assertThat(List.of(opened, refused)).allMatch(line -> line.hold() == null);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nonsense",
        "1\t2\t3",
        "0\t5\t0\u001e\t\t\t\t\tOPENED",
        "1\tx\t0\u001e\t\t\t\t\tOPENED",
        "1\t99999999999999999\t0\u001e\t\t\t\t\tOPENED"
      })
  void an_entry_that_makes_no_sense_is_kept_as_one_line(String text) {
    var line = JournalLine.parse(PLACE, new Epoch(9), text).getFirst();

    assertThat(line.isReadable()).isFalse();
    assertThat(line.detail()).isEqualTo(text);
    assertThat(line.epoch()).isEqualTo(new Epoch(9));
    assertThat(line.at()).isEqualTo(PLACE.recordedAt());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "\t\t\t\t\t",
        "shop\tt\theartbeat\t1:d\t9\tTAKEN",
        "shop\tt\trelease\td\t9\tTAKEN",
        "shop\tt\trelease\t1:d\t0\tTAKEN",
        "shop\t\trelease\t1:d\t9\tTAKEN",
        "shop\tt\trelease\t1:d\t9\tRELEASED\tHELD"
      })
  void an_unreadable_line_is_kept_unchanged_beside_the_others(String text) {
    var entry = "3\t5\t0\u001e" + text + "\u001e\t\t\t\t\tOPENED\t";
    var lines = JournalLine.parse(PLACE, new Epoch(9), entry);

    assertThat(lines).extracting(JournalLine::isReadable).containsExactly(false, true);
    assertThat(lines.getFirst().detail()).isEqualTo(text);
    assertThat(lines.getFirst().epoch()).isEqualTo(new Epoch(3));
  }

  @ParameterizedTest
  @CsvSource({"5-0,5-1,-1", "5-9,6-0,-1", "6-0,5-9,1", "5-5,5-5,0", "9-0,10-0,-1"})
  void places_of_a_journal_are_ordered_as_numbers(String one, String other, int order) {
    assertThat(
            Integer.signum(JournalPosition.ofEntry(one).compareTo(JournalPosition.ofEntry(other))))
        .isEqualTo(order);
    assertThat(JournalPosition.ofEntry(one).entry()).isEqualTo(one);
  }
}
