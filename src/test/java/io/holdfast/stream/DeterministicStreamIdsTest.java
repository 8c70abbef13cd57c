package io.holdfast.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testing.Requirement;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// An id follows from the business key and the deployment key alone.
class DeterministicStreamIdsTest {
  private static final String SECRET = "golden-secret-of-thirty-two-chars-or-more";
  private static final DeterministicStreamIds IDS = with("1:" + SECRET);

  @Test
  @Requirement({"DH-AC-1", "DH-RU-9"})
  void the_same_business_key_has_the_same_id_each_time() {
    var first = IDS.deterministicStreamId("User", "alice@example.com");
    var again = with("1:" + SECRET).deterministicStreamId("User", "alice@example.com");

    assertThat(first).isEqualTo(again).matches("User:[0-9A-Za-z]{16}");
  }

  /// Computed by another implementation, in Python. A change of these values loses streams.
  @ParameterizedTest
  @Requirement({"DH-RU-1", "DH-RU-9", "H-10"})
  @CsvSource({
    "User:ihfRPRxIRPTARLon, User, alice",
    "User:iylUcLQa0BuPaxcs, User, alice@example.com",
    "TenantUser:KQZaZn5FchYPIvXZ, TenantUser, tenant_123|alice@example.com",
    "TenantUser:us9024mo1gOkF9cZ, TenantUser, alice@example.com|tenant_123",
    "User:Bf8iBah9qerhzWti, User, Zoë 名前 😀",
    "User:ywLSQ1l6eC89YYqV, User, ''",
  })
  void an_id_is_the_same_in_all_versions(String id, String entityType, String key) {
    assertThat(IDS.deterministicStreamId(entityType, key.split("\\|", -1))).isEqualTo(id);
  }

  @Test
  @Requirement("DH-AC-2")
  void the_order_of_a_composite_key_counts() {
    var one = IDS.deterministicStreamId("TenantUser", "tenant_123", "alice@example.com");
    var again = IDS.deterministicStreamId("TenantUser", "tenant_123", "alice@example.com");
    var swapped = IDS.deterministicStreamId("TenantUser", "alice@example.com", "tenant_123");

    assertThat(again).isEqualTo(one);
    assertThat(swapped).isNotEqualTo(one);
  }

  @Test
  @Requirement("DH-AC-3")
  void two_business_keys_have_two_ids() {
    assertThat(IDS.deterministicStreamId("User", "alice@example.com"))
        .isNotEqualTo(IDS.deterministicStreamId("User", "bob@example.com"));
  }

  /// Without the length before each text these would be one.
  @Test
  @Requirement("DH-RU-4")
  void parts_are_not_joined() {
    var ids =
        List.of(
            IDS.deterministicStreamId("User", "ab", "c"),
            IDS.deterministicStreamId("User", "a", "bc"),
            IDS.deterministicStreamId("User", "abc"),
            IDS.deterministicStreamId("User", "abc", ""),
            IDS.deterministicStreamId("User", "", "abc"),
            IDS.deterministicStreamId("User", "\0\0\0\3abc"),
            IDS.deterministicStreamId("User", "a", "b", "c"));
    var types =
        List.of(
            hash(IDS.deterministicStreamId("User", "xalice")),
            hash(IDS.deterministicStreamId("Userx", "alice")));

    assertThat(ids).doesNotHaveDuplicates();
    assertThat(types).doesNotHaveDuplicates();
  }

  @Test
  @Requirement({"DH-AC-7", "DH-RU-4"})
  void any_text_gives_16_letters_and_digits() {
    var seed = System.nanoTime();
    var random = new Random(seed);
    var keys = new ArrayList<String[]>();
    for (var text : List.of("", " ", "\0", "/?#%&=", "\u202e", "é", "e\u0301", "😀", "x:y,z")) {
      keys.add(new String[] {text});
    }
    keys.add(new String[] {"x".repeat(5_000_000)});
    keys.add(IntStream.range(0, 10_000).mapToObj(Integer::toString).toArray(String[]::new));
    IntStream.range(0, 5_000).forEach(_ -> keys.add(randomKey(random)));

    assertThat(keys)
        .as("seed %d", seed)
        .allSatisfy(
            key -> assertThat(IDS.deterministicStreamId("E", key)).matches("E:[0-9A-Za-z]{16}"));
  }

  /// Every position takes every character about equally often.
  @Test
  @Requirement("DH-RU-4")
  void ids_do_not_collide_and_use_all_characters_equally() {
    var count = 100_000;
    var hashes = new HashSet<String>();
    var seen = new int[16]['z' + 1];
    for (var i = 0; i < count; i++) {
      var hash = hash(IDS.deterministicStreamId("User", "user-" + i));
      hashes.add(hash);
      for (var position = 0; position < 16; position++) {
        seen[position][hash.charAt(position)]++;
      }
    }

    assertThat(hashes).hasSize(count);
    var expected = count / 62.0;
    var sixDeviations = 6 * Math.sqrt(expected);
    for (var ofPosition : seen) {
      var used = IntStream.of(ofPosition).filter(times -> times > 0).boxed().toList();
      assertThat(used)
          .hasSize(62)
          .allSatisfy(
              times ->
                  assertThat((double) times)
                      .isBetween(expected - sixDeviations, expected + sixDeviations));
    }
  }

  /// Someone who knows the code and the id but not the deployment key tries a million e-mails:
  /// plain SHA-256 of the text and of the canonical form, and HMAC with a guessed key.
  @Test
  @Requirement({"DH-AC-8", "H-10"})
  void a_dictionary_finds_no_business_key_without_the_deployment_key() {
    var wanted = 777_777;
    var id = IDS.deterministicStreamId("User", mail(wanted));
    var guessed = with("1:" + "0".repeat(32));

    var found =
        IntStream.range(0, 1_000_000)
            .parallel()
            .filter(i -> isFoundWithoutKey(id, mail(i), guessed))
            .boxed()
            .collect(Collectors.toList());

    assertThat(found).isEmpty();
    assertThat(isFoundWithoutKey(guessed.deterministicStreamId("User", mail(7)), mail(7), guessed))
        .as("the search finds what was made with the guessed key")
        .isTrue();
  }

  private static boolean isFoundWithoutKey(String id, String mail, DeterministicStreamIds guessed) {
    return id.equals(guessed.deterministicStreamId("User", mail))
        || id.equals("User:" + DeterministicStreamIds.base62(sha256(mail.getBytes(UTF_8))))
        || id.equals("User:" + DeterministicStreamIds.base62(sha256(canonicalForm(mail))));
  }

  @Test
  @Requirement("H-10")
  void another_key_gives_another_id_and_the_version_is_not_in_it() {
    var rotated = with("2:another-secret-of-thirty-two-characters,1:" + SECRET);
    var renumbered = with("7:" + SECRET);

    assertThat(rotated.deterministicStreamId("User", "alice")).isEqualTo("User:MdW3JlUTvZWUKiFx");
    assertThat(rotated.idsUnderAllKeys("User", List.of("alice")))
        .containsExactly("User:MdW3JlUTvZWUKiFx", "User:ihfRPRxIRPTARLon");
    assertThat(renumbered.deterministicStreamId("User", "alice"))
        .isEqualTo("User:ihfRPRxIRPTARLon");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1User", "Us er", "User:", "Üser", "User\n"})
  void an_entity_type_that_is_none_is_refused(String entityType) {
    assertThatThrownBy(() -> IDS.deterministicStreamId(entityType, "alice"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> IDS.deterministicStreamId("T".repeat(65), "alice"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_business_key_without_parts_or_with_half_a_character_is_refused() {
    assertThatThrownBy(() -> IDS.deterministicStreamId("User"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> IDS.deterministicStreamId("User", "\ud83d"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lone surrogate");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "''; must be a list of version:secret",
        "secret-secret-secret-secret-secret; must be a list of version:secret",
        "1:secret-secret-secret-secret-secret,; must be a list of version:secret",
        "0:secret-secret-secret-secret-secret; must number its keys from 1",
        "1:secret-secret-secret-secret-sec; must have 32 to 1024 characters",
        "1:secret-secret-secret secret-secret; must have visible ASCII characters only",
        "1:secret-secret-secret-secret-secret,1:secret-other-secret-other-secret;"
            + " must have each version once",
        "2:secret-secret-secret-secret-secret,1:secret-secret-secret-secret-secret;"
            + " must have another secret in each version",
      })
  void malformed_keys_are_refused_without_a_secret(String text, String rule) {
    assertThatThrownBy(() -> IdKeys.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(rule)
        .message()
        .doesNotContain("secret-");
    assertThat(IdKeys.parse("3:" + SECRET)).hasToString("[key 3]");
  }

  private static DeterministicStreamIds with(String keys) {
    return new DeterministicStreamIds(IdKeys.parse(keys));
  }

  private static String hash(String id) {
    return id.substring(id.indexOf(':') + 1);
  }

  private static String mail(int number) {
    return "person" + number + "@example.com";
  }

  private static String[] randomKey(Random random) {
    var parts = new String[1 + random.nextInt(8)];
    for (var i = 0; i < parts.length; i++) {
      parts[i] =
          random
              .ints(random.nextInt(40), 0, Character.MAX_CODE_POINT + 1)
              .filter(c -> c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE)
              .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
              .toString();
    }
    return parts;
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] canonicalForm(String mail) {
    var form = ByteBuffer.allocate(200);
    for (var text : List.of("holdfast stream id 1", "User", mail)) {
      var bytes = text.getBytes(UTF_8);
      form.putInt(bytes.length).put(bytes);
    }
    return Arrays.copyOf(form.array(), form.position());
  }
}
