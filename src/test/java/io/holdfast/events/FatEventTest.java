package io.holdfast.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.pool.PoolName;
import io.holdfast.subject.DataSubject;
import io.holdfast.testing.Requirement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// A fat event is an immutable snapshot of all data that readers need, with a schema version.
public class FatEventTest {
  static final PoolName ARENA = new PoolName("arena");
  public static final DataSubject ALICE = new DataSubject("shop", "alice");
  private static final List<String> COMMITMENT =
      List.of("commitmentId", "holdId", "pool", "requester", "orderId", "voidedAt");

  @Test
  @Requirement({"EC-KC-1", "EC-KC-2"})
  void an_entity_and_a_collection_are_embedded_with_exactly_the_listed_fields() {
    var entity = Map.of("item", "A-1", "priceCents", 5_000L, "row", "1");

    assertThat(Event.embedEntity(entity, List.of("item", "priceCents")))
        .containsExactly(Map.entry("item", "A-1"), Map.entry("priceCents", 5_000L));
    assertThat(Event.embedCollection(List.of(entity, entity), List.of("row")))
        .containsExactly(Map.of("row", "1"), Map.of("row", "1"));
  }

  @Test
  @Requirement({"EC-AC-2", "EC-EX-2"})
  void a_fat_event_has_the_version_of_the_current_schema_which_starts_at_1_0_0() {
    var event = voided(aCommitment());

    assertThat(event.data().get("schemaVersion"))
        .isEqualTo(EventType.COMMITMENT_VOIDED.schema().version().toString());
    assertThat(EventType.AUCTION_CLOSED.schema().version()).hasToString("1.0.0");
  }

  @Test
  @Requirement("EC-EX-4")
  void later_changes_of_the_data_do_not_change_an_event() {
    var items = new ArrayList<Map<String, Object>>();
    items.add(new HashMap<>(Map.of("item", "A-1", "priceCents", 5_000L)));
    var commitment = new HashMap<>(aCommitment());
    var event =
        Event.createFatEvent(
            EventType.COMMITMENT_VOIDED,
            ARENA,
            "h",
            Map.of("commitment", commitment, "items", items));
    var before = EventJson.write(event.data());

    commitment.put("orderId", "another");
    items.getFirst().put("priceCents", 1L);
    items.clear();

    assertThat(EventJson.write(event.data())).isEqualTo(before).contains("5000");
    assertThatThrownBy(() -> event.data().put("more", 1))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  @Requirement("EC-EX-4")
  void missing_optional_data_become_null_and_are_accepted() {
    var event = voided(Event.embedEntity(aCommitment(), COMMITMENT));

    assertThat(EventJson.write(event.data()))
        .contains("\"orderId\":null", "\"refund\":null", "\"requester\":null");
  }

  @Test
  void data_that_do_not_fit_the_schema_are_refused_with_their_path() {
    var without = new HashMap<>(aCommitment());
    without.remove("voidedAt");
    var more = new HashMap<>(aCommitment());
    more.put("colour", "red");
    var other = new HashMap<>(aCommitment());
    other.put("holdId", 7L);

    assertThatThrownBy(() -> voided(without)).hasMessageContaining("data.commitment.voidedAt");
    assertThatThrownBy(() -> voided(more)).hasMessageContaining("data.commitment.colour");
    assertThatThrownBy(() -> voided(other)).hasMessageContaining("data.commitment.holdId");
  }

  @Test
  @Requirement({"EC-AC-3", "EC-EX-3"})
  void a_required_field_cannot_be_marked_as_shreddable() {
    var allowed = Event.embedEntity(aCommitment(), COMMITMENT, ALICE, Set.of("requester"));
    var refused = Event.embedEntity(aCommitment(), COMMITMENT, ALICE, Set.of("holdId"));

    assertThat(voided(allowed).data()).isNotEmpty();
    assertThatThrownBy(() -> voided(refused)).hasMessageContaining("data.commitment.holdId");
  }

  public static Event voided(Map<String, Object> commitment) {
    return Event.createFatEvent(
        EventType.COMMITMENT_VOIDED,
        ARENA,
        "h",
        Map.of("commitment", commitment, "items", List.of(Map.of("item", "A-1"))));
  }

  public static Map<String, Object> aCommitment() {
    return Map.of(
        "commitmentId", "cm~h", "holdId", "h", "pool", "arena", "voidedAt", "2026-01-01T00:00:00Z");
  }
}
