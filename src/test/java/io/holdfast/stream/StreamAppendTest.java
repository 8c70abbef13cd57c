package io.holdfast.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Events are appended to the version that the caller has seen, and to no other.
@ExtendWith(RealServers.class)
class StreamAppendTest {
  private static Streams streams;
  private static Rows rows;

  @BeforeAll
  static void connect(TestServers servers, Service service) {
    streams = Streams.of(service);
    rows = Rows.of(servers);
  }

  @Test
  @Requirement("DH-RU-10")
  void events_are_numbered_in_the_order_of_their_appends() {
    var name = Streams.aName();
    var id = Streams.id(streams.append(Api.token(), name, 0, "UserCreated", "PlanChosen"));

    var appended = streams.append(Api.token(), name, 2, "Suspended", "Closed");

    assertThat(appended.statusCode()).as(appended.body()).isEqualTo(201);
    assertThat(Streams.id(appended)).isEqualTo(id);
    assertThat(Http.json(appended).path("version").asLong()).isEqualTo(4);
    var events = Http.json(streams.read(id)).path("events");
    assertThat(events)
        .extracting(event -> event.path("version").asInt() + " " + event.path("type").asText())
        .containsExactly("1 UserCreated", "2 PlanChosen", "3 Suspended", "4 Closed");
  }

  @ParameterizedTest
  @CsvSource({"1", "3", "9007199254740991"})
  @Requirement("DH-RU-10")
  void another_version_is_a_conflict_that_names_the_actual_one(long expected) {
    var name = Streams.aName();
    var id = Streams.id(streams.append(Api.token(), name, 0, "UserCreated", "PlanChosen"));

    var refused = streams.append(Api.token(), name, expected, "Closed");

    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);
    assertThat(Api.code(refused)).isEqualTo("version-conflict");
    assertThat(Http.json(refused).path("actualVersion").asLong()).isEqualTo(2);
    assertThat(Http.json(streams.read(id)).path("events")).hasSize(2);
  }

  @Test
  void a_stream_that_does_not_exist_has_version_0() {
    var refused = streams.append(Api.token(), Streams.aName(), 1, "Closed");

    assertThat(Api.code(refused)).isEqualTo("version-conflict");
    assertThat(Http.json(refused).path("actualVersion").asLong(-1)).isZero();
    assertThat(Http.json(refused).path("detail").asText()).contains("expectedVersion 0");
  }

  @Test
  void of_concurrent_appends_to_one_version_one_succeeds() {
    var name = Streams.aName();
    var id = Streams.id(streams.create(name));

    var answers = Together.run(16, i -> streams.append(Api.token(), name, 1, "Changed", "By" + i));

    assertThat(answers).filteredOn(answer -> answer.statusCode() == 201).hasSize(1);
    assertThat(answers)
        .filteredOn(answer -> answer.statusCode() != 201)
        .allSatisfy(
            answer -> {
              assertThat(Api.code(answer)).isEqualTo("version-conflict");
              assertThat(Http.json(answer).path("actualVersion").asLong()).isEqualTo(3);
            });
    assertThat(Http.json(streams.read(id)).path("events")).hasSize(3);
  }

  @Test
  @Requirement({"DH-RU-10", "DH-RU-1", "DH-RU-8"})
  void a_create_of_an_existing_stream_fails_also_after_a_restart(TestServers servers) {
    var name = Streams.aName();
    var other = Streams.aName();
    String id;
    try (var first = RealServers.start(servers, Map.of())) {
      id = Streams.id(Streams.of(first).create(name));
    }

    try (var second = RealServers.start(servers, Map.of())) {
      var restarted = Streams.of(second);

      assertThat(Api.code(restarted.create(name))).isEqualTo("unique-constraint-violation");
      assertThat(Streams.id(restarted.append(Api.token(), name, 1, "Closed"))).isEqualTo(id);
      assertThat(Api.code(restarted.create(name))).isEqualTo("unique-constraint-violation");
      assertThat(restarted.create(other).statusCode()).isEqualTo(201);
    }
  }

  @Test
  void a_long_stream_is_read_in_pages() {
    var name = Streams.aName();
    var types = IntStream.rangeClosed(1, 100).mapToObj(i -> "E" + i).toArray(String[]::new);
    var id = Streams.id(streams.append(Api.token(), name, 0, types));
    streams.append(Api.token(), name, 100, "Last");

    var seen = new ArrayList<String>();
    var next = "/v1/streams/" + id + "?limit=40";
    var pages = 0;
    while (next != null) {
      var page = streams.api().get(next);
      Http.json(page).path("events").forEach(event -> seen.add(event.path("type").asText()));
      next =
          page.headers()
              .firstValue("Link")
              .map(link -> link.substring(1, link.indexOf('>')))
              .orElse(null);
      pages++;
    }

    assertThat(pages).isEqualTo(3);
    assertThat(seen).hasSize(101).startsWith("E1", "E2").endsWith("E100", "Last");
  }

  @Test
  void data_is_returned_as_it_was_sent() {
    var data =
        """
        {"none":null,"price":1.10,"huge":12345678901234567890123,"small":1E-7,"yes":true,"list":[1,[],{}],"text":"é\\u0000\\"😀","":{}}\
        """;
    var body =
        Streams.body(Streams.aName(), 0, "UserCreated")
            .replaceFirst("\"data\":\\{[^}]*}", Matcher.quoteReplacement("\"data\":" + data));

    var created = streams.post(Api.token(), body);
    var read = streams.read(Streams.id(created));

    assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
    assertThat(Http.json(read).at("/events/0/data").toString())
        .isEqualTo(Http.json(data).toString());
    assertThat(read.body()).contains("1.10", "12345678901234567890123");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "entityType | \"User\" | \"1User\"",
        "entityType | \"User\" | \"Us-er\"",
        "entityType | \"User\" | 7",
        "businessKey | [\"alice\"] | []",
        "businessKey | [\"alice\"] | \"alice\"",
        "businessKey | [\"alice\"] | [\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\"]",
        "businessKey[0] | [\"alice\"] | [\"\"]",
        "businessKey[1] | [\"alice\"] | [\"a\",7]",
        "field | \"username\" | \"\"",
        "mutable | \"field\" | \"mutable\":1,\"field\"",
        "expectedVersion | 0, | -1,",
        "expectedVersion | 0, | 0.5,",
        "events | [{\"type\":\"T\",\"data\":{}}] | []",
        "events[0].type | \"T\" | \"\"",
        "events[0].data | {}} | []}",
        "events[0].data | ,\"data\":{} | ''",
        "events[0].id | \"data\":{} | \"data\":{},\"id\":1",
        "streamId | \"field\" | \"streamId\":\"User:1\",\"field\"",
      })
  void a_wrong_field_is_refused_by_its_name(String field, String text, String instead) {
    var count = rows.number("SELECT count(*) FROM stream");
    var body =
        """
        {"entityType":"User","businessKey":["alice"],"field":"username","expectedVersion":0,"events":[{"type":"T","data":{}}]}
        """;
    assertThat(body).contains(text);

    var refused = streams.post(Api.token(), body.replace(text, instead));

    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    assertThat(Http.json(refused).path("field").asText()).isEqualTo(field);
    assertThat(rows.number("SELECT count(*) FROM stream")).isEqualTo(count);
  }

  @Test
  void the_limits_are_accepted_and_one_more_is_not() {
    var name = Streams.aName();
    var longest = name + "x".repeat(256 - name.length());
    var types = Collections.nCopies(101, "T").toArray(String[]::new);

    assertThat(streams.create(longest).statusCode()).isEqualTo(201);
    assertThat(streams.create(longest + "x").statusCode()).isEqualTo(400);
    assertThat(streams.append(Api.token(), name, 0, types).statusCode()).isEqualTo(400);
    assertThat(typed(name, "T".repeat(129)).statusCode()).isEqualTo(400);
    assertThat(typed(name, "T".repeat(128)).statusCode()).isEqualTo(201);
    assertThat(typed(Streams.aName(), "T".repeat(70_000)).statusCode()).isEqualTo(413);
  }

  @Test
  void parts_of_a_business_key_may_be_equal() {
    var name = Streams.aName();
    var body = Streams.body(name, 0, "UserCreated");
    var twice = body.replace("[\"" + name + "\"]", "[\"%s\",\"%s\"]".formatted(name, name));

    assertThat(streams.post(Api.token(), twice).statusCode()).isEqualTo(201);
    assertThat(streams.post(Api.token(), body).statusCode()).isEqualTo(201);
  }

  @ParameterizedTest
  @CsvSource({"User:0000000000000000", "User:short", "nonsense", "User:0000000000000000;DROP"})
  void an_unknown_stream_is_not_known(String id) {
    assertThat(streams.read(id).statusCode()).isEqualTo(404);
  }

  @Test
  void the_routes_need_the_scope_commit() {
    var holder = new Streams(streams.api().as("holder", "hold"));

    assertThat(holder.create(Streams.aName()).statusCode()).isEqualTo(403);
    assertThat(holder.read("User:0000000000000000").statusCode()).isEqualTo(403);
  }

  private static HttpResponse<String> typed(String name, String type) {
    return streams.append(Api.token(), name, 0, type);
  }
}
