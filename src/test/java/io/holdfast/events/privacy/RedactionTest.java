package io.holdfast.events.privacy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.events.DeepCopy;
import io.holdfast.events.Event;
import io.holdfast.events.EventJson;
import io.holdfast.events.FatEventTest;
import io.holdfast.events.schema.Schema;
import io.holdfast.events.schema.SemVer;
import io.holdfast.subject.SubjectCipher;
import io.holdfast.testing.Requirement;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Personal values are found by path, redacted with an audit, and encrypted for their position.
class RedactionTest {
  private static final Instant NOON = Instant.parse("2026-05-01T12:00:00Z");

  @Test
  @Requirement("EC-EX-3")
  void personal_values_are_found_by_path_and_replaced_with_an_audit() {
    var event = aVoidedCommitmentOf("alice@example.com");

    var shredded = Redaction.shredEvent(event, "ticket-1", NOON);

    assertThat(Redaction.paths(event)).containsExactly("commitment.requester");
    assertThat(shredded.audit().correlationId()).isEqualTo("ticket-1");
    assertThat(shredded.audit().fieldsShredded()).containsExactly("commitment.requester");
    assertThat(shredded.audit().shreddedAt()).isEqualTo(NOON);
    assertThat(EventJson.write(shredded.data()))
        .doesNotContain("alice")
        .contains(
            "{\"__redacted\":true,\"originalType\":\"string\",\"redactedAt\":\"2026-05-01T12:00:00.000Z\"}");
  }

  @Test
  @Requirement("EC-EX-3")
  void a_schema_with_a_required_personal_field_is_refused() {
    var json =
        Map.<String, Object>of(
            "type", "object",
            "required", List.of("email"),
            "properties", Map.of("email", Map.of("type", "string", "x-personal", true)));

    assertThatThrownBy(() -> Schema.of(SemVer.FIRST, json)).hasMessageContaining("email");
  }

  @Test
  @Requirement("EC-EX-3")
  void data_deeper_than_twenty_levels_are_refused() {
    assertThat(DeepCopy.of(nested(DeepCopy.DEPTH_MAX))).isNotEmpty();
    assertThatThrownBy(() -> DeepCopy.of(nested(DeepCopy.DEPTH_MAX + 1)))
        .hasMessageContaining("20 levels");
    assertThatThrownBy(
            () -> PersonalFieldWalker.replace(nested(DeepCopy.DEPTH_MAX + 1), "x", (_, _) -> null))
        .hasMessageContaining("20 levels");
  }

  @Test
  void a_ciphertext_is_decrypted_only_with_its_key_and_at_its_position() {
    var random = new SecureRandom();
    var cipher = new SubjectCipher(new byte[32]);
    var otherKey = new byte[32];
    otherKey[0] = 1;

    var encrypted = cipher.encrypt("alice", "7 hold.requester", random);

    assertThat(cipher.decrypt(encrypted, "7 hold.requester")).isEqualTo("alice");
    assertThat(cipher.encrypt("alice", "7 hold.requester", random)).isNotEqualTo(encrypted);
    assertThatThrownBy(() -> cipher.decrypt(encrypted, "8 hold.requester"))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> new SubjectCipher(otherKey).decrypt(encrypted, "7 hold.requester"))
        .isInstanceOf(IllegalStateException.class);
  }

  private static Map<String, Object> nested(int depth) {
    Map<String, Object> map = new HashMap<>();
    for (var i = 1; i < depth; i++) {
      map = new HashMap<>(Map.of("deeper", map));
    }
    return map;
  }

  private static Event aVoidedCommitmentOf(String requester) {
    var commitment = new HashMap<>(FatEventTest.aCommitment());
    commitment.put("requester", requester);
    return FatEventTest.voided(
        Event.embedEntity(
            commitment, List.copyOf(commitment.keySet()), FatEventTest.ALICE, Set.of("requester")));
  }
}
