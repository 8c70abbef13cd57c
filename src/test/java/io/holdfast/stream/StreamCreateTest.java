package io.holdfast.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.TaskControl;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Of all creates of one business key, one succeeds.
@ExtendWith(RealServers.class)
class StreamCreateTest {
  private static Service service;
  private static Streams streams;
  private static Rows rows;

  @BeforeAll
  static void connect(TestServers servers, Service given) {
    service = given;
    streams = Streams.of(given);
    rows = Rows.of(servers);
  }

  @Test
  @Requirement({"DH-AC-4", "DH-RU-9"})
  void the_first_create_appends_its_event_as_version_1() {
    var name = Streams.aName();

    var created = streams.create(name);

    assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
    assertThat(Streams.id(created)).matches("User:[0-9A-Za-z]{16}");
    assertThat(Http.json(created).path("version").asLong()).isEqualTo(1);
    var stream = Http.json(streams.read(Streams.id(created)));
    assertThat(stream.path("entityType").asText()).isEqualTo("User");
    assertThat(stream.path("version").asLong()).isEqualTo(1);
    assertThat(stream.path("events")).hasSize(1);
    assertThat(stream.at("/events/0/type").asText()).isEqualTo("UserCreated");
    assertThat(stream.at("/events/0/version").asLong()).isEqualTo(1);
    assertThat(stream.at("/events/0/data/name").asText()).isEqualTo(name);
  }

  @Test
  @Requirement({"DH-AC-5", "DH-RU-2"})
  void the_second_create_is_a_violation_with_field_and_value() {
    var name = Streams.aName();
    var created = streams.create(name);

    var second = streams.create(name);

    assertThat(second.statusCode()).as(second.body()).isEqualTo(409);
    assertThat(second.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    var problem = Http.json(second);
    assertThat(problem.path("code").asText()).isEqualTo("unique-constraint-violation");
    assertThat(problem.path("field").asText()).isEqualTo("username");
    assertThat(problem.at("/value/0").asText()).isEqualTo(name);
    assertThat(problem.path("definite").asBoolean()).isTrue();
    assertThat(problem.has("actualVersion")).isFalse();
    assertThat(version(Streams.id(created))).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 32})
  @Requirement({"DH-AC-6", "DH-RU-2"})
  void of_concurrent_creates_one_succeeds(int count) {
    var name = Streams.aName();

    var answers = Together.run(count, _ -> streams.create(name));

    assertThat(answers).filteredOn(answer -> answer.statusCode() == 201).hasSize(1);
    assertThat(answers)
        .filteredOn(answer -> answer.statusCode() != 201)
        .allSatisfy(
            answer -> assertThat(Api.code(answer)).isEqualTo("unique-constraint-violation"));
    var id = answers.stream().filter(answer -> answer.statusCode() == 201).map(Streams::id);
    assertThat(version(id.findFirst().orElseThrow())).isEqualTo(1);
  }

  /// The value is free or taken for all callers of a deployment.
  @Test
  @Requirement("DH-RU-8")
  void another_caller_addresses_the_same_stream_and_learns_nothing_about_it() {
    var name = Streams.aName();
    var created = streams.create(name);
    var stranger = new Streams(streams.api().as("stranger", "commit"));

    var second = stranger.create(name);

    assertThat(Api.code(second)).isEqualTo("unique-constraint-violation");
    assertThat(second.body()).doesNotContain("operator", Streams.id(created));
    assertThat(stranger.read(Streams.id(created)).statusCode()).isEqualTo(404);
    assertThat(stranger.append(Api.token(), name, 1, "Renamed").statusCode()).isEqualTo(404);
    assertThat(version(Streams.id(created))).isEqualTo(1);
  }

  @Test
  @Requirement("DH-RU-8")
  void a_repeated_token_gets_the_first_answer_and_appends_nothing() {
    var name = Streams.aName();
    var token = Api.token();

    var first = streams.append(token, name, 0, "UserCreated");
    var again = streams.append(token, name, 0, "UserCreated");
    var other = streams.append(token, name, 1, "UserCreated");

    assertThat(again.statusCode()).isEqualTo(201);
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(Api.isReplay(again)).isTrue();
    assertThat(Api.code(other)).isEqualTo("token-collision");
    assertThat(version(Streams.id(first))).isEqualTo(1);
  }

  @Test
  void a_refused_create_is_replayed_as_well() {
    var name = Streams.aName();
    streams.create(name);
    var token = Api.token();

    var first = streams.append(token, name, 0, "UserCreated");
    var again = streams.append(token, name, 0, "UserCreated");

    assertThat(first.statusCode()).isEqualTo(409);
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(Api.isReplay(again)).isTrue();
  }

  @Test
  @Requirement("DH-RU-7")
  void a_create_writes_no_reservation_and_starts_no_task() {
    var tables = sizes();
    var tasks = TaskControl.names(service.context().getBean(PeriodicTasks.class));

    assertThat(streams.create(Streams.aName()).statusCode()).isEqualTo(201);

    var grown = sizes();
    grown.entrySet().removeAll(tables.entrySet());
    assertThat(grown.keySet())
        .contains("stream", "stream_alias", "stream_event")
        .isSubsetOf("stream", "stream_alias", "stream_event", "stream_secret", "request_result");
    assertThat(TaskControl.names(service.context().getBean(PeriodicTasks.class)))
        .isEqualTo(tasks)
        .isNotEmpty()
        .noneMatch(name -> name.contains("stream"));
  }

  @Test
  void the_business_key_is_stored_nowhere_but_in_what_the_caller_sends() {
    var name = Streams.aName();
    var body =
        Streams.body(name, 0, "UserCreated").replaceFirst("\"data\":\\{[^}]*}", "\"data\":{}");

    assertThat(streams.post(Api.token(), body).statusCode()).isEqualTo(201);

    for (var table : List.of("stream", "stream_alias", "stream_event", "stream_secret")) {
      assertThat(rows.texts("SELECT t::text FROM %s t".formatted(table)))
          .isNotEmpty()
          .noneMatch(row -> row.contains(name));
    }
    assertThat(rows.texts("SELECT encode(body, 'escape') FROM request_result"))
        .noneMatch(row -> row.contains(name));
  }

  /// The number of rows of each table. Background tasks renew leases and store counts of replays.
  private static Map<String, Long> sizes() {
    var sizes = new TreeMap<String, Long>();
    for (var table :
        rows.texts(
            """
            SELECT table_name FROM information_schema.tables
             WHERE table_schema = current_schema() AND table_name NOT IN ('lease', 'token_replay')
            """)) {
      sizes.put(table, rows.number("SELECT count(*) FROM " + table));
    }
    return sizes;
  }

  private static long version(String streamId) {
    return Http.json(streams.read(streamId)).path("version").asLong();
  }
}
