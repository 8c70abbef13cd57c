package io.holdfast.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.app.Service;
import io.holdfast.runtime.StartFailure;
import io.holdfast.testing.Api;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A rotation of the deployment key loses no stream, also while old and new instances run side by
/// side.
@ExtendWith(RealServers.class)
class KeyRotationTest {
  private static final String NEW_KEY = "2:the-new-secret-of-stream-ids-in-this-test";
  private static final String BOTH = NEW_KEY + "," + TestServers.ID_KEY;

  private static Service service;
  private static Streams before;
  private static Streams after;
  private static Rows rows;

  @BeforeAll
  static void start(TestServers servers, Service withOldKey) {
    before = Streams.of(withOldKey);
    service = RealServers.start(servers, Map.of("holdfast.id-key", BOTH));
    after = Streams.of(service);
    rows = Rows.of(servers);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  @Requirement("H-10")
  void a_stream_of_the_old_key_is_found_with_the_new_one() {
    var name = Streams.aName();
    var id = Streams.id(before.create(name));

    var second = after.create(name);
    var extended = after.append(Api.token(), name, 1, "Renamed");

    assertThat(Api.code(second)).isEqualTo("unique-constraint-violation");
    assertThat(extended.statusCode()).isEqualTo(201);
    assertThat(Streams.id(extended)).isEqualTo(id);
    assertThat(after.read(id).statusCode()).isEqualTo(200);
    assertThat(keyVersion(id)).isEqualTo(1);
  }

  @Test
  @Requirement("H-10")
  void a_stream_of_the_new_key_is_found_with_the_old_one() {
    var name = Streams.aName();
    var id = Streams.id(after.create(name));

    assertThat(keyVersion(id)).isEqualTo(2);
    assertThat(Api.code(before.create(name))).isEqualTo("unique-constraint-violation");
    assertThat(Streams.id(before.append(Api.token(), name, 1, "Renamed"))).isEqualTo(id);
    assertThat(before.read(id).statusCode()).isEqualTo(200);
  }

  @Test
  @Requirement("H-10")
  void old_and_new_instances_that_create_at_once_create_one_stream() {
    for (var round = 0; round < 10; round++) {
      var name = Streams.aName();

      var answers = Together.run(12, i -> (i % 2 == 0 ? before : after).create(name));

      assertThat(answers).filteredOn(answer -> answer.statusCode() == 201).hasSize(1);
      assertThat(answers)
          .filteredOn(answer -> answer.statusCode() != 201)
          .allSatisfy(
              answer -> assertThat(Api.code(answer)).isEqualTo("unique-constraint-violation"));
    }
  }

  @Test
  @Requirement("H-10")
  void a_service_without_a_key_that_made_streams_does_not_start(TestServers servers) {
    before.create(Streams.aName());
    after.create(Streams.aName());

    assertRefused(servers, NEW_KEY, "must keep key 1");
    assertRefused(servers, TestServers.ID_KEY, "must keep key 2");
    assertRefused(servers, BOTH.replace("secret-of", "mistyped-of"), "another secret");
  }

  private static void assertRefused(TestServers servers, String keys, String why) {
    assertThatThrownBy(() -> RealServers.start(servers, Map.of("holdfast.id-key", keys)).close())
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("HOLDFAST_ID_KEY")
        .hasMessageContaining(why)
        .message()
        .doesNotContain("secret-of");
  }

  private static long keyVersion(String id) {
    return rows.number("SELECT key_version FROM stream WHERE stream_id = ?", id);
  }
}
