package io.holdfast.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A token belongs to one call. Another call under it is refused, changes nothing, and never shows
/// the answer of the first call.
@ExtendWith(RealServers.class)
class TokenActionBindingTest {
  private static Api api;
  private static Records records;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    api = Api.of(service);
    records = new Records(servers, api);
  }

  @Test
  @Requirement({"IR-INV-4", "IR-AW-12", "IR-AW-13"})
  void a_token_of_a_placement_neither_releases_nor_expires() {
    var pool = api.pool(1);
    var token = Api.token();
    var hold = Api.Hold.of(api.place(pool, token, "ann", "A-1"));

    var released = api.release(hold.id(), token, "ann");
    var expired = api.expire(hold.id(), token, true);

    assertCollision(released, hold.id());
    assertCollision(expired, hold.id());
    assertThat(Http.json(api.read(hold.id())).get("state").asText()).isEqualTo("HELD");
    assertThat(records.words(pool)).doesNotContain("RELEASED", "EXPIRED");
  }

  @Test
  @Requirement({"IR-INV-4", "IR-AW-09", "IR-AW-13"})
  void a_token_of_a_release_neither_places_nor_expires() {
    var pool = api.pool(2);
    var token = Api.token();
    var released = api.hold(pool, "ann", "A-1");
    var other = api.hold(pool, "ben", "A-2");
    api.release(released.id(), token, "ann");

    var placed = api.place(pool, token, "ann", "A-1");
    var expired = api.expire(other.id(), token, true);

    assertCollision(placed, released.id());
    assertCollision(expired, released.id());
    assertThat(api.counts(pool)).isEqualTo("1 free, 1 held");
  }

  @Test
  @Requirement({"IR-INV-4", "IR-AW-09", "IR-AW-12"})
  void a_token_of_an_expiry_neither_places_nor_releases() {
    var pool = api.pool(2);
    var token = Api.token();
    var expired = api.hold(pool, "ann", "A-1");
    var other = api.hold(pool, "ben", "A-2");
    api.expire(expired.id(), token, true);

    var placed = api.place(pool, token, "ann", "A-1");
    var released = api.release(other.id(), token, "ben");

    assertCollision(placed, expired.id());
    assertCollision(released, expired.id());
    assertThat(api.counts(pool)).isEqualTo("1 free, 1 held");
  }

  @Test
  @Requirement({"IR-INV-4", "IR-AW-10", "IR-AW-12", "IR-AW-13"})
  void a_token_with_other_parameters_is_refused() {
    var pool = api.pool(3);
    var token = Api.token();
    var first = api.hold(pool, "ann", "A-1");
    var second = api.hold(pool, "ann", "A-2");
    api.release(first.id(), token, "ann");
    var forced = Api.token();
    api.expire(second.id(), forced, true);

    assertCollision(api.release(second.id(), token, "ann"), first.id());
    assertCollision(api.release(first.id(), token, "ben"), first.id());
    assertCollision(api.expire(second.id(), forced, false), second.id());
    var placing = Api.token();
    api.place(pool, placing, "ann", "A-1");
    assertCollision(api.place(pool, placing, "ann", "A-3"), "~");
    var body = "{\"requester\":\"ann\",\"items\":[\"A-1\"],\"leaseSeconds\":5}";
    assertCollision(api.post("/v1/pools/" + pool + "/holds", placing, body), "~");
    assertThat(api.counts(pool)).isEqualTo("2 free, 1 held");
  }

  @Test
  @Requirement("IR-EC-07")
  void two_requesters_with_one_token_never_see_each_others_answer() {
    var pool = api.pool(2);
    var token = Api.token();
    var first = Api.Hold.of(api.place(pool, token, "ann", "A-1"));

    var second = api.place(pool, token, "ben", "A-1");

    assertCollision(second, first.id());
    assertThat(second.body()).doesNotContain("ann");
  }

  @Test
  @Requirement("IR-EC-07")
  void two_callers_with_one_token_get_an_answer_each() {
    var pool = api.pool(2);
    var token = Api.token();
    var one = api.as("one", "hold");
    var other = api.as("other", "hold");
    var first = one.place(pool, token, "ann", "A-1");

    var second = other.place(pool, token, "ann", "A-1");

    assertThat(first.statusCode()).isEqualTo(201);
    assertThat(second.statusCode()).isEqualTo(409);
    assertThat(Api.isReplay(second)).isFalse();
    assertThat(second.body()).doesNotContain(Api.Hold.of(first).id());
    assertThat(one.place(pool, token, "ann", "A-1").body()).isEqualTo(first.body());
    assertThat(other.place(pool, token, "ann", "A-1").body()).isEqualTo(second.body());
  }

  private static void assertCollision(HttpResponse<String> answer, String foreign) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(422);
    assertThat(Api.code(answer)).isEqualTo("token-collision");
    assertThat(Api.isReplay(answer)).isFalse();
    assertThat(answer.body()).doesNotContain(foreign);
  }
}
