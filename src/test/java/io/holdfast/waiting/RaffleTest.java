package io.holdfast.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.checkout.Checkouts;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Who joined before the opening is shuffled once, and anybody can compute the order.
@ExtendWith(RealServers.class)
@Tag("cluster")
class RaffleTest {
  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    api = Api.of(service);
    rows = Rows.of(servers);
  }

  @AfterEach
  void nothing_is_lost() {
    new Checkouts(api).assertNothingIsLost();
  }

  @Test
  @Requirement({"BR-Q-1", "AU-17"})
  void early_tickets_are_drawn_by_the_published_seed_and_late_ones_stay_behind() throws Exception {
    var opensAt = OffsetDateTime.now(ZoneOffset.UTC).plusSeconds(8).toInstant();
    var room = Room.of(api, 100, ",\"order\":\"RAFFLE\",\"opensAt\":\"%s\"".formatted(opensAt));
    var early = room.tickets(12);
    assertThat(Instant.now()).as("all have joined in time").isBefore(opensAt);
    Await.until(Room.PATIENCE, () -> proofStatus(room) == 200);
    var before = proof(room);
    assertThat(before.get("seed").isNull()).isTrue();
    assertThat(room.admit(1)).as("before the opening").isZero();

    Await.until(Room.PATIENCE, () -> !proof(room).get("drawnAt").isNull());
    var late = room.ticket("late");
    Await.until(Room.PATIENCE, () -> room.admit(1) == 1);

    var proof = proof(room);
    var seed = HexFormat.of().parseHex(proof.get("seed").asText());
    assertThat(HexFormat.of().formatHex(sha256(seed))).isEqualTo(before.get("commitment").asText());
    assertThat(proof.get("tickets").asInt()).isEqualTo(12);
    var expected = drawn(seed, proof.get("places"));
    var places = new HashMap<Long, Long>();
    proof.get("places").forEach(e -> places.put(e.get("number").asLong(), e.get("place").asLong()));
    assertThat(places.keySet().stream().sorted(Comparator.comparing(places::get)))
        .containsExactlyElementsOf(expected);
    assertThat(places.keySet()).containsExactlyInAnyOrderElementsOf(places.values());
    room.admit(11);
    var admitted =
        rows.texts("SELECT number FROM admission WHERE pool = ? ORDER BY place", room.pool());
    assertThat(admitted.stream().map(Long::valueOf)).containsExactlyElementsOf(expected);
    assertThat(room.states(early)).containsOnly("ADMITTED");
    assertThat(room.state(late)).isEqualTo("WAITING");
    assertThat(room.position(late)).isEqualTo(1);
  }

  @Test
  void a_drawn_raffle_does_not_change() {
    var opensAt = OffsetDateTime.now(ZoneOffset.UTC).minusSeconds(1).toInstant();
    var room = Room.of(api, 10, ",\"order\":\"RAFFLE\",\"opensAt\":\"%s\"".formatted(opensAt));
    room.ticket("u1");
    Await.until(Room.PATIENCE, () -> room.admit(1) == 1);

    assertThat(proof(room).get("tickets").asInt()).as("nobody joined before").isZero();
    assertThatThrownBy(
            () -> rows.change("UPDATE raffle SET drawn_at = NULL WHERE pool = ?", room.pool()))
        .rootCause()
        .hasMessageContaining("drawn once");
  }

  private static List<Long> drawn(byte[] seed, JsonNode places) throws Exception {
    var hashes = new HashMap<Long, byte[]>();
    for (var place : places) {
      var number = place.get("number").asText();
      var message = Arrays.copyOf(seed, seed.length + number.length());
      System.arraycopy(
          number.getBytes(StandardCharsets.US_ASCII), 0, message, seed.length, number.length());
      hashes.put(place.get("number").asLong(), sha256(message));
    }
    var numbers = new ArrayList<>(hashes.keySet());
    numbers.sort((one, other) -> Arrays.compareUnsigned(hashes.get(one), hashes.get(other)));
    return numbers;
  }

  private static byte[] sha256(byte[] message) throws Exception {
    return MessageDigest.getInstance("SHA-256").digest(message);
  }

  private static int proofStatus(Room room) {
    return api.get("/v1/pools/" + room.pool() + "/queue/proof").statusCode();
  }

  private static JsonNode proof(Room room) {
    return Http.json(api.get("/v1/pools/" + room.pool() + "/queue/proof"));
  }
}
