package io.holdfast.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The history of a hold and the uses of a token, from the records alone.
@ExtendWith(RealServers.class)
class HistoryTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Test
  @Requirement({"IR-GA-1", "IR-GA-3", "IR-SD-3", "IR-ADV-2"})
  void the_history_of_a_sale_has_tokens_attempts_fences_and_times(Service service) {
    var api = Api.of(service);
    var hold = api.hold(api.pool(2), "anna", "A-1", "A-2");
    api.confirm(hold, "pay-1", "anna", "order-1", ",\"attemptId\":\"first\"");
    api.confirm(hold, "pay-2", "anna", "order-1", ",\"attemptId\":\"second\"");
    Await.until(PATIENCE, () -> steps(api, hold.id()).contains("journal CONFIRMED"));

    var trail = Http.json(api.get("/v1/audit/holds/" + hold.id()));

    assertThat(steps(api, hold.id()))
        .contains(
            "hold PLACED",
            "journal HELD",
            "attempt CONFIRMED",
            "commitment SOLD",
            "hold CONFIRMED",
            "verification PASSED",
            "journal CONFIRMED");
    var attempts = having(trail, "attempt");
    assertThat(attempts)
        .extracting(s -> s.get("attempt").asText())
        .containsExactly("first", "second");
    assertThat(attempts).extracting(s -> s.get("token").asText()).containsExactly("pay-1", "pay-2");
    assertThat(having(trail, "commitment"))
        .hasSize(2)
        .allMatch(s -> s.get("fence").asLong() == hold.fence())
        .allMatch(s -> s.get("token").asText().equals("pay-1"))
        .allMatch(s -> s.get("at").asText().matches("20[0-9T:.-]+\\.[0-9]{3}Z"));
  }

  @Test
  @Requirement({"IR-ADV-2", "IR-GA-4"})
  void every_use_of_a_token_is_listed(Service service) {
    var api = Api.of(service);
    var pool = api.pool(1);
    var hold = api.hold(pool, "anna", "A-1");
    var token = "pay a+b/ü";
    var path = "/v1/audit/tokens/pay%20a%2Bb%2F%C3%BC?pool=" + pool;
    api.post(
        "/v1/holds/" + hold.id() + "/confirm",
        "\"pay a+b/x\"",
        "{\"requester\":\"anna\",\"fence\":%d,\"orderId\":\"o\"}".formatted(hold.fence()));

    var asked = path.replace("%C3%BC", "x");
    Await.until(PATIENCE, () -> words(api, asked).contains("journal CONFIRMED"));

    assertThat(words(api, asked))
        .contains("entry CONFIRMED", "attempt CONFIRMED", "consumed CONSUMED");
    assertThat(words(api, path)).as(token).isEmpty();
  }

  @Test
  void an_unrecorded_hold_or_token_is_not_known(Service service) {
    var api = Api.of(service);

    assertThat(api.get("/v1/audit/holds/nothing").statusCode()).isEqualTo(404);
    assertThat(api.get("/v1/audit/holds/arena~1z141z5~0123456789abcdef").statusCode())
        .isEqualTo(404);
    assertThat(api.get("/v1/audit/tokens/t?pool=no+pool").statusCode()).isEqualTo(400);
    assertThat(api.as("seller", "hold").get("/v1/audit/holds/nothing").statusCode()).isEqualTo(403);
  }

  private static List<String> steps(Api api, String hold) {
    return words(api, "/v1/audit/holds/" + hold);
  }

  private static List<String> words(Api api, String path) {
    var answer = api.get(path);
    var words = new ArrayList<String>();
    Http.json(answer)
        .path("steps")
        .forEach(s -> words.add(s.get("source").asText() + " " + s.get("word").asText()));
    return words;
  }

  private static List<JsonNode> having(JsonNode trail, String source) {
    var steps = new ArrayList<JsonNode>();
    trail.get("steps").forEach(s -> steps.add(s));
    return steps.stream().filter(s -> s.get("source").asText().equals(source)).toList();
  }
}
