package io.holdfast.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every repetition under a token gets the stored decision: same status, same bytes, and no second
/// effect.
@ExtendWith(RealServers.class)
@Tag("cluster")
class SameTokenSameAnswerTest {
  private static Api api;
  private static Records records;
  private static String pool;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    api = Api.of(service);
    records = new Records(servers, api);
    pool = api.pool(12, "{\"maxHoldsPerRequester\":1}");
    api.hold(pool, "ann", "A-1");
  }

  /// A kind of call that returns `status`, with any token.
  private record Kind(String name, int status, Call call) {
    @Override
    public String toString() {
      return status + " " + name;
    }
  }

  private interface Call {
    HttpResponse<String> under(String token);
  }

  static Stream<Kind> placing() {
    return Stream.of(
        new Kind("placed", 201, token -> api.place(pool, token, "ben", "A-2")),
        new Kind("own hold", 200, token -> api.place(pool, token, "ann", "A-1")),
        new Kind("taken", 409, token -> api.place(pool, token, "cid", "A-1", "A-3")),
        new Kind("limit", 429, token -> api.place(pool, token, "ann", "A-4")),
        new Kind("unknown item", 400, token -> api.place(pool, token, "dot", "Z-1")),
        new Kind("no requester", 400, token -> api.place(pool, token, "", "A-4")));
  }

  @ParameterizedTest
  @MethodSource("placing")
  @Requirement({"IR-ST-08", "IR-AW-07", "IR-AW-08", "IR-INV-1", "IR-CFR-03"})
  void every_answer_to_a_placement_is_repeated_byte_for_byte(Kind kind) {
    assertGivenAgain(kind);
  }

  static Stream<Kind> releasing() {
    var held = api.hold(pool, "eve", "A-5");
    var ended = api.hold(pool, "fay", "A-6");
    api.release(ended.id(), Api.token(), "fay");
    var nowhere = pool + "~1z141z4~0000000000000000";
    return Stream.of(
        new Kind("of another", 409, token -> api.release(held.id(), token, "fay")),
        new Kind("released", 200, token -> api.release(held.id(), token, "eve")),
        new Kind("ended before", 409, token -> api.release(ended.id(), token, "fay")),
        new Kind("unknown", 404, token -> api.release(nowhere, token, "eve")),
        new Kind("no requester", 400, token -> api.release(held.id(), token, "")));
  }

  @ParameterizedTest
  @MethodSource("releasing")
  @Requirement({"IR-ST-08", "IR-AW-05", "IR-AW-12", "IR-AW-15", "IR-CFR-03"})
  void every_answer_to_a_release_is_repeated_byte_for_byte(Kind kind) {
    assertGivenAgain(kind);
  }

  static Stream<Kind> expiring() {
    var held = api.hold(pool, "gus", "A-7");
    var nowhere = pool + "~1z141z4~0000000000000000";
    var path = "/v1/holds/" + held.id() + "/expire";
    return Stream.of(
        new Kind("too early", 409, token -> api.expire(held.id(), token, false)),
        new Kind("by force", 200, token -> api.expire(held.id(), token, true)),
        new Kind("ended before", 409, token -> api.expire(held.id(), token, true)),
        new Kind("unknown", 404, token -> api.expire(nowhere, token, true)),
        new Kind("no flag", 400, token -> api.post(path, token, "{\"force\":1}")));
  }

  @ParameterizedTest
  @MethodSource("expiring")
  @Requirement({"IR-ST-08", "IR-AW-06", "IR-AW-13", "IR-AW-15", "IR-CFR-03"})
  void every_answer_to_an_expiry_is_repeated_byte_for_byte(Kind kind) {
    assertGivenAgain(kind);
  }

  private static void assertGivenAgain(Kind kind) {
    var token = Api.token();
    var first = kind.call.under(token);
    var counts = api.counts(pool);
    var words = records.words(pool);

    var second = kind.call.under(token);
    var third = kind.call.under(token);

    assertThat(first.statusCode()).as(first.body()).isEqualTo(kind.status);
    assertThat(Api.isReplay(first)).isFalse();
    assertSame(first, second);
    assertSame(first, third);
    assertThat(api.counts(pool)).isEqualTo(counts);
    assertThat(records.words(pool)).isEqualTo(words);
    assertThat(records.tokens(pool)).containsOnlyOnce("operator\t" + token);
  }

  private static void assertSame(HttpResponse<String> first, HttpResponse<String> again) {
    assertThat(again.statusCode()).isEqualTo(first.statusCode());
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(Api.isReplay(again)).isTrue();
    for (var name : new String[] {"Location", "Content-Type", "Retry-After"}) {
      assertThat(again.headers().allValues(name)).isEqualTo(first.headers().allValues(name));
    }
  }
}
