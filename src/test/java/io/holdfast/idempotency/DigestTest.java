package io.holdfast.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import io.holdfast.testing.Requirement;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TimeZone;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Equal requests have equal digests, however they are written; different requests have different
/// ones.
class DigestTest {
  private static final Map<String, Object> HOLD =
      Map.of("requester", "Ünal", "items", List.of("A-1", "A-2"), "leaseSeconds", 600L);

  /// Stored digests are compared with new ones: if this changes, `Digest.FUNCTION` has to.
  @Test
  @Requirement({"IR-ST-07", "IR-ST-04"})
  void the_digest_of_one_request_is_fixed() {
    assertThat(Digest.of("place_hold", List.of("arena"), HOLD).value())
        .isEqualTo("1:csQKNO9tzf--POS4NIolPZ4wlj4sENrSeCYofLM1otc");
  }

  @Test
  @Requirement("IR-ST-07")
  void it_names_its_function_and_has_256_bits() {
    assertThat(of(HOLD)).matches(Digest.FUNCTION + ":[A-Za-z0-9_-]{43}");
  }

  @Test
  void locale_and_time_zone_do_not_change_the_digest() {
    var locale = Locale.getDefault();
    var zone = TimeZone.getDefault();
    var body = Map.of("TITLE", "I i ı İ", "price", new BigDecimal("1234.5"), "n", -7);
    var before = of(body);
    try {
      for (var tag : List.of("tr-TR", "ar-EG-u-nu-arab", "th-TH-u-nu-thai", "de-CH")) {
        Locale.setDefault(Locale.forLanguageTag(tag));
        TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Kiritimati"));

        assertThat(of(body)).isEqualTo(before);
      }
    } finally {
      Locale.setDefault(locale);
      TimeZone.setDefault(zone);
    }
  }

  @Test
  void the_order_of_members_does_not_change_the_digest() {
    var seed = new Random().nextLong();
    var random = new Random(seed);
    var names = new ArrayList<>(IntStream.range(0, 40).mapToObj(i -> "name" + i * 7).toList());
    names.addAll(List.of("é", "\ud83d\ude00", "\uffff", ""));
    var expected = of(shuffled(names, new Random(0)));

    for (var time = 0; time < 50; time++) {
      assertThat(of(shuffled(names, random))).as("seed %d", seed).isEqualTo(expected);
    }
  }

  @Test
  void the_order_of_a_list_changes_the_digest() {
    assertThat(of(Map.of("items", List.of("A", "B"))))
        .isNotEqualTo(of(Map.of("items", List.of("B", "A"))));
  }

  @Test
  @Requirement("IR-ST-06")
  void the_boundaries_between_texts_change_the_digest() {
    assertDiffer(
        of(Map.of("items", List.of("ab", "c"))),
        of(Map.of("items", List.of("a", "bc"))),
        of(Map.of("items", List.of("abc"))),
        of(Map.of("items", List.of("abc", ""))),
        of(Map.of("ab", "c")),
        of(Map.of("a", "bc")),
        of(Map.of("a", List.of("b"), "c", "d")),
        of(Map.of("a", List.of("b", "c", "d"))),
        of(Map.of("a", Map.of("b", "c"))),
        of(Map.of("a", Map.of(), "b", "c")));
  }

  @Test
  @Requirement("IR-ST-06")
  void the_boundaries_of_action_path_and_body_change_the_digest() {
    assertDiffer(
        Digest.of("confirm", List.of("a", "b"), Map.of()).value(),
        Digest.of("confirm", List.of("ab"), Map.of()).value(),
        Digest.of("confirma", List.of("b"), Map.of()).value(),
        Digest.of("release", List.of("a", "b"), Map.of()).value(),
        Digest.of("confirm", List.of("a"), Map.of("b", "")).value());
  }

  @Test
  void values_of_different_types_have_different_digests() {
    assertDiffer(
        of(Map.of("a", "1")),
        of(Map.of("a", 1)),
        of(Map.of("a", true)),
        of(Map.of("a", false)),
        of(Map.of("a", "true")),
        of(Map.of("a", List.of())),
        of(Map.of("a", Map.of())),
        of(Map.of("a", Arrays.asList((Object) null))),
        of(Map.of()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "1.0", "1e0", "10e-1", "0.1e1", "1.000"})
  void one_number_has_one_digest_however_it_is_written(String number) {
    assertThat(of(Map.of("a", new BigDecimal(number)))).isEqualTo(of(Map.of("a", 1L)));
  }

  @Test
  void whole_numbers_of_every_type_agree() {
    for (var number : new long[] {0, 1, -1, 10, 100, -1000, 120, Long.MAX_VALUE, Long.MIN_VALUE}) {
      var expected = of(Map.of("a", number));

      assertThat(of(Map.of("a", BigInteger.valueOf(number)))).isEqualTo(expected);
      assertThat(of(Map.of("a", BigDecimal.valueOf(number)))).isEqualTo(expected);
      assertThat(of(Map.of("a", BigDecimal.valueOf(number).setScale(5)))).isEqualTo(expected);
    }
    assertThat(of(Map.of("a", new BigDecimal("0e7")))).isEqualTo(of(Map.of("a", 0)));
    assertDiffer(of(Map.of("a", 1)), of(Map.of("a", 10)), of(Map.of("a", -1)));
  }

  @Test
  void a_huge_exponent_costs_no_time() {
    var digests = new ArrayList<String>();

    assertTimeout(
        Duration.ofSeconds(1),
        () -> {
          for (var number :
              List.of("1e999999999", "1e-999999999", "100e2147483647", "1e-2147483647")) {
            digests.add(of(Map.of("a", new BigDecimal(number))));
          }
        });

    assertThat(digests).doesNotHaveDuplicates();
  }

  @Test
  void a_member_that_is_null_counts_as_absent() {
    var withNull = new HashMap<String, Object>(HOLD);
    withNull.put("section", null);

    assertThat(of(withNull)).isEqualTo(of(HOLD));
  }

  @Test
  void the_attempt_is_left_out_at_the_top_and_only_there() {
    var first = Map.of("fence", 7, "attemptId", "one");
    var second = Map.of("fence", 7, "attemptId", "two");

    assertThat(of(first)).isEqualTo(of(second)).isEqualTo(of(Map.of("fence", 7)));
    assertThat(of(Map.of("a", first))).isNotEqualTo(of(Map.of("a", second)));
  }

  @Test
  void a_lone_surrogate_differs_from_a_question_mark() {
    assertDiffer(of(Map.of("a", "\ud800")), of(Map.of("a", "?")), of(Map.of("a", "\udc00")));
  }

  @Test
  void a_value_that_has_no_canonical_form_is_a_bug() {
    assertThatThrownBy(() -> of(Map.of("a", 1.5d))).isInstanceOf(IllegalArgumentException.class);
  }

  private static Map<String, Object> shuffled(List<String> names, Random random) {
    var order = new ArrayList<>(names);
    Collections.shuffle(order, random);
    var members = new LinkedHashMap<String, Object>();
    order.forEach(name -> members.put(name, Map.of("x" + name, 1, "y", name)));
    return members;
  }

  private static void assertDiffer(String... digests) {
    assertThat(digests).doesNotHaveDuplicates();
  }

  private static String of(Map<String, ?> body) {
    return Digest.of("place_hold", List.of("arena"), body).value();
  }
}
