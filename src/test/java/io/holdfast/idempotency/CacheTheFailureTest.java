package io.holdfast.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A refusal is stored and repeated for its token, even if the call could succeed by now. A new
/// token is decided anew.
@ExtendWith(RealServers.class)
class CacheTheFailureTest {
  private static Api api;
  private static Records records;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    api = Api.of(service);
    records = new Records(servers, api);
  }

  @Test
  @Requirement({"IR-CFR-01", "IR-CFR-02", "IR-INV-1"})
  void a_refusal_because_of_a_taken_seat_is_repeated_for_its_token() {
    var pool = api.pool(1);
    var token = Api.token();
    var other = api.hold(pool, "ben", "A-1");
    var refused = api.place(pool, token, "ann", "A-1");
    api.release(other.id(), Api.token(), "ben");

    var again = api.place(pool, token, "ann", "A-1");

    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(Api.code(refused)).isEqualTo("resource-unavailable");
    assertThat(again.body()).isEqualTo(refused.body());
    assertThat(Api.isReplay(again)).isTrue();
    assertThat(api.stateOf(pool, "A-1")).isEqualTo("FREE");
    assertThat(records.words(pool)).containsOnlyOnce("TAKEN");
    assertThat(api.place(pool, Api.token(), "ann", "A-1").statusCode()).isEqualTo(201);
  }

  @Test
  @Requirement("IR-CFR-03")
  void a_refusal_because_of_a_limit_is_repeated_for_its_token() {
    var pool = api.pool(2, "{\"maxHoldsPerRequester\":1}");
    var token = Api.token();
    var hold = api.hold(pool, "ann", "A-1");
    var refused = api.place(pool, token, "ann", "A-2");
    api.release(hold.id(), Api.token(), "ann");

    var again = api.place(pool, token, "ann", "A-2");

    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(Api.code(refused)).isEqualTo("hold-limit");
    assertThat(again.body()).isEqualTo(refused.body());
    assertThat(api.place(pool, Api.token(), "ann", "A-2").statusCode()).isEqualTo(201);
  }

  @Test
  @Requirement({"IR-AW-15", "IR-CFR-03"})
  void a_refusal_of_an_early_expiry_is_repeated_for_its_token() {
    var pool = api.pool(1);
    var token = Api.token();
    var hold = api.hold(pool, "ann", "A-1");
    var early = api.expire(hold.id(), token, false);
    api.release(hold.id(), Api.token(), "ann");

    var again = api.expire(hold.id(), token, false);

    assertThat(early.statusCode()).isEqualTo(409);
    assertThat(Api.code(early)).isEqualTo("window-not-elapsed");
    assertThat(again.body()).isEqualTo(early.body());
    assertThat(Api.code(api.expire(hold.id(), Api.token(), false))).isEqualTo("not-held");
  }
}
