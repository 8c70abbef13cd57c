package io.holdfast.hold;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Records;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Of many concurrent requests for one seat, one is granted.
@ExtendWith(RealServers.class)
@Tag("cluster")
class OneSeatContentionTest {
  private static final int REQUESTS = 10_000;
  private static final int CONNECTIONS = 256;

  private static Service service;
  private static Api api;
  private static Records records;

  @BeforeAll
  static void open(TestServers servers) {
    service = RealServers.start(servers, Map.of("holdfast.rate-limit", "off"));
    api = Api.of(service);
    records = new Records(servers, api);
  }

  @AfterAll
  static void close() {
    service.close();
  }

  @Test
  @Requirement("PC-BH-2")
  void of_ten_thousand_requests_for_one_seat_one_is_granted() {
    var pool = api.pool(1);
    var wires = Stream.generate(() -> Wire.to(api.base())).limit(CONNECTIONS).toList();

    var answers = ask(pool, wires);
    wires.forEach(Wire::close);

    assertThat(answers.stream().collect(groupingBy(OneSeatContentionTest::kind, counting())))
        .isEqualTo(Map.of("granted", 1L, "resource-unavailable", REQUESTS - 1L));
    assertThat(records.holds(pool)).isEqualTo(1);
    assertThat(api.counts(pool)).isEqualTo("0 free, 1 held");
  }

  /// All connections have a request on its way before the first answer is read.
  private static List<Wire.Answer> ask(String pool, List<Wire> wires) {
    var answers = new ArrayList<Wire.Answer>(REQUESTS);
    for (var sent = 0; sent < REQUESTS; ) {
      var round = wires.subList(0, Math.min(CONNECTIONS, REQUESTS - sent));
      for (var wire : round) {
        wire.write(request(pool, sent++));
      }
      round.forEach(wire -> answers.add(wire.read()));
    }
    return answers;
  }

  private static byte[] request(String pool, int number) {
    var body = "{\"requester\":\"user-%d\",\"items\":[\"A-1\"]}".formatted(number);
    return Wire.place(api, pool, body, "Idempotency-Key: want-" + number);
  }

  private static String kind(Wire.Answer answer) {
    return answer.status() == 201
        ? "granted"
        : answer.body().replaceFirst(".*\"code\":\"([a-z-]*)\".*", "$1");
  }
}
