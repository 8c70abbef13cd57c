package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Service;
import io.holdfast.StartFailure;
import io.holdfast.testing.Api;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.net.http.HttpResponse;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Holds as rows in Postgres, at two instances at once: what Redis does one after the other is done
/// side by side here, and must come to the same.
@ExtendWith(RealServers.class)
class WithoutRedisTest {
  private static final int ROUNDS = 25;

  private static TestServers servers;
  private static List<Service> services;
  private static List<Api> instances;
  private static Api api;
  private static Records records;

  @BeforeAll
  static void open(TestServers given) {
    servers = given;
    services = List.of(start(), start());
    instances = services.stream().map(Api::of).toList();
    api = instances.getFirst();
    records = new Records(servers, api);
  }

  @AfterAll
  static void close() {
    services.forEach(Service::close);
  }

  private static Service start() {
    return RealServers.startWithoutRedis(servers, Map.of("holdfast.rate-limit", "0"));
  }

  @Test
  void of_256_callers_for_one_seat_one_has_it() {
    var pool = api.pool(1);

    var answers =
        Together.run(256, i -> instances.get(i % 2).place(pool, Api.token(), "u" + i, "A-1"));

    assertThat(granted(answers)).isOne();
    assertThat(answers.stream().filter(answer -> answer.statusCode() != 201))
        .allMatch(answer -> Api.code(answer).equals("resource-unavailable"));
    assertThat(records.holds(pool)).isOne();
    assertThat(api.counts(pool)).isEqualTo("0 free, 1 held");
  }

  /// Each of the three stands in the way of the two others, so one of them has nobody in its way: a
  /// seat that somebody was only asking for is no reason to refuse it.
  @Test
  void of_wishes_that_cross_one_is_granted_every_time() {
    var wishes = List.of(List.of("A-1", "A-2"), List.of("A-2", "A-3"), List.of("A-3", "A-1"));
    for (var round = 0; round < ROUNDS; round++) {
      var pool = api.pool(3);

      var answers =
          Together.run(
              3,
              i ->
                  instances
                      .get(i % 2)
                      .place(pool, Api.token(), "u" + i, wishes.get(i).toArray(String[]::new)));

      assertThat(granted(answers)).as("round %d", round).isOne();
    }
  }

  @Test
  void equal_tokens_at_once_are_one_hold_and_equal_answers() {
    var pool = api.pool(1);
    var token = Api.token();

    var answers = Together.run(32, i -> instances.get(i % 2).place(pool, token, "ann", "A-1"));

    assertThat(answers).extracting(HttpResponse::body).containsOnly(answers.getFirst().body());
    assertThat(answers).extracting(HttpResponse::statusCode).containsOnly(201);
    assertThat(answers.stream().filter(answer -> !Api.isReplay(answer))).hasSize(1);
    assertThat(records.holds(pool)).isOne();
  }

  @Test
  void a_requester_who_asks_for_many_at_once_gets_as_many_as_it_may_have() {
    var pool = api.pool(16, "{\"maxHoldsPerRequester\":2}");

    var answers =
        Together.run(16, i -> instances.get(i % 2).place(pool, Api.token(), "ann", "A-" + (i + 1)));

    assertThat(granted(answers)).isEqualTo(2);
    assertThat(answers.stream().filter(answer -> answer.statusCode() != 201))
        .allMatch(answer -> Api.code(answer).equals("hold-limit"));
  }

  @Requirement("BR-F-7")
  @Test
  void fences_grow_from_grant_to_grant_whichever_instance_grants() {
    var pool = api.pool(20);

    var fences =
        IntStream.range(0, 20)
            .mapToLong(i -> instances.get(i % 2).hold(pool, "u" + i, "A-" + (i + 1)).fence())
            .boxed()
            .toList();

    assertThat(new HashSet<>(fences)).hasSize(20);
    assertThat(fences).isSorted();
  }

  @Test
  void an_answer_that_is_lost_is_unknown_and_the_same_token_tells_it() {
    var pool = api.pool(1);
    var token = Api.token();
    try (var proxy = FaultProxy.before(servers.jdbcUrl());
        var third =
            RealServers.startWithoutRedis(
                servers, Map.of("jdbc.url", proxy.insteadOf(servers.jdbcUrl())))) {
      proxy.dropReplyTo("intent_hold_place");

      var lost = Api.of(third).place(pool, token, "ann", "A-1");

      assertThat(proxy.isStruck()).isTrue();
      assertThat(lost.statusCode()).as(lost.body()).isEqualTo(503);
      assertThat(Http.json(lost).get("definite").asBoolean()).isFalse();
      proxy.heal();
    }
    var told = api.place(pool, token, "ann", "A-1");
    assertThat(told.statusCode()).isEqualTo(201);
    assertThat(Api.isReplay(told)).isTrue();
    assertThat(records.holds(pool)).isOne();
  }

  @Test
  void an_instance_of_the_other_mode_is_refused_meanwhile() {
    assertThatThrownBy(() -> RealServers.start(servers, Map.of()))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("Another instance uses this database")
        .hasMessageContaining("HOLDFAST_INTENT=redis");
  }

  private static long granted(List<HttpResponse<String>> answers) {
    return answers.stream().filter(answer -> answer.statusCode() == 201).count();
  }
}
