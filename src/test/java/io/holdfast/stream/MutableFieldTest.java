package io.holdfast.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// No stream is created for a value that can change.
@ExtendWith(RealServers.class)
class MutableFieldTest {
  private static Streams streams;
  private static Rows rows;

  @BeforeAll
  static void connect(TestServers servers, Service given) {
    streams = Streams.of(given);
    rows = Rows.of(servers);
  }

  @Test
  @Requirement({"DH-RU-6", "H-9"})
  void a_field_that_the_caller_calls_mutable_is_refused() {
    var count = count();
    var token = Api.token();
    var body = Streams.body(Streams.aName(), 0, "UserCreated");
    var mutable = body.replace("\"expectedVersion\"", "\"mutable\":true,\"expectedVersion\"");

    var refused = streams.post(token, mutable);

    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(422);
    assertThat(Api.code(refused)).isEqualTo("mutable-field");
    assertThat(Http.json(refused).path("detail").asText())
        .contains("can change", "Use the pattern Reservation");
    assertThat(Api.isReplay(streams.post(token, mutable))).isTrue();
    assertThat(count()).isEqualTo(count);
    var immutable = body.replace("\"expectedVersion\"", "\"mutable\":false,\"expectedVersion\"");
    assertThat(streams.post(Api.token(), immutable).statusCode()).isEqualTo(201);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "email",
        "e-mail",
        "E-Mail",
        "EMAIL",
        "emailAddress",
        "email_address",
        "contact.email",
        "workEmail",
        "phone",
        "phoneNumber",
        "displayName",
        "display_name"
      })
  @Requirement({"DH-RU-6", "H-9"})
  void a_field_that_is_known_to_be_mutable_is_refused(String field) {
    var count = count();
    var body = Streams.body(Streams.aName(), 0, "UserCreated").replace("username", field);
    var denied = body.replace("\"expectedVersion\"", "\"mutable\":false,\"expectedVersion\"");

    assertThat(Api.code(streams.post(Api.token(), body))).isEqualTo("mutable-field");
    assertThat(Api.code(streams.post(Api.token(), denied))).isEqualTo("mutable-field");
    assertThat(count()).isEqualTo(count);
  }

  @ParameterizedTest
  @ValueSource(strings = {"username", "externalId", "emailed", "gramophone", "taxNumber"})
  @Requirement("DH-RU-6")
  void a_field_that_never_changes_is_accepted(String field) {
    var body = Streams.body(Streams.aName(), 0, "UserCreated").replace("username", field);

    assertThat(streams.post(Api.token(), body).statusCode()).isEqualTo(201);
  }

  private static long count() {
    return rows.number("SELECT count(*) FROM stream");
  }
}
