package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Together;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A requester never has more holds than the pool allows, also with concurrent calls.
@ExtendWith(RealServers.class)
@Tag("cluster")
class HoldLimitTest {
  private static Api api;

  @BeforeAll
  static void open(Service service) {
    api = Api.of(service);
  }

  @Test
  void concurrent_calls_of_a_requester_get_as_many_holds_as_allowed() {
    var pool = api.pool(40, "{\"maxHoldsPerRequester\":3}");

    var answers = Together.run(40, i -> api.place(pool, Api.token(), "ann", "A-" + (i + 1)));

    assertThat(answers.stream().filter(answer -> answer.statusCode() == 201)).hasSize(3);
    assertThat(answers.stream().filter(answer -> answer.statusCode() != 201))
        .hasSize(37)
        .allSatisfy(HoldLimitTest::assertLimit);
    assertThat(api.counts(pool)).isEqualTo("37 free, 3 held");
    assertThat(api.place(pool, Api.token(), "ben", free(answers)).statusCode()).isEqualTo(201);
  }

  @Test
  void a_hold_that_ended_makes_room_for_another() {
    var pool = api.pool(4, "{\"maxHoldsPerRequester\":1}");
    var first = api.hold(pool, "ann", "A-1");
    assertLimit(api.place(pool, Api.token(), "ann", "A-2"));

    api.release(first.id(), Api.token(), "ann");
    var second = api.hold(pool, "ann", "A-2");
    api.expire(second.id(), Api.token(), true);
    var brief = "{\"requester\":\"ann\",\"items\":[\"A-3\"],\"leaseSeconds\":1}";
    var third = api.post("/v1/pools/" + pool + "/holds", Api.token(), brief);
    assertThat(third.statusCode()).as(third.body()).isEqualTo(201);
    Await.until(
        Duration.ofSeconds(10),
        () -> api.place(pool, Api.token(), "ann", "A-4").statusCode() == 201);

    assertLimit(api.place(pool, Api.token(), "ann", "A-1"));
  }

  @Test
  void the_limit_counts_the_requesters_of_each_caller_separately() {
    var pool = api.pool(2, "{\"maxHoldsPerRequester\":1}");
    api.hold(pool, "ann", "A-1");

    var other = api.as("elsewhere", "hold").place(pool, Api.token(), "ann", "A-2");

    assertThat(other.statusCode()).isEqualTo(201);
  }

  private static String free(List<HttpResponse<String>> answers) {
    for (var i = 0; i < answers.size(); i++) {
      if (answers.get(i).statusCode() != 201) {
        return "A-" + (i + 1);
      }
    }
    throw new AssertionError("nobody was refused");
  }

  private static void assertLimit(HttpResponse<String> answer) {
    assertThat(answer.statusCode() + Api.code(answer)).isEqualTo("429hold-limit");
    assertThat(answer.headers().firstValue("Retry-After")).isEmpty();
    assertThat(Http.json(answer).get("retryable").asBoolean()).isFalse();
  }
}
