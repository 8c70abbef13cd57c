package io.holdfast.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The decision tree between deterministic ids and reservations.
@ExtendWith(RealServers.class)
class PatternTest {
  private static Api api;

  @BeforeAll
  static void connect(Service service) {
    api = Api.of(service);
  }

  @ParameterizedTest
  @CsvSource({
    "username, false, single-step, deterministic-id",
    "email, true, single-step, reservation",
    "externalId, false, single-step, deterministic-id",
    "email, true, multi-step, reservation",
    "inviteCode, false, multi-step, reservation",
    "nickname, true, single-step, reservation",
    "nickname, true, multi-step, reservation",
  })
  @Requirement({"DH-AC-9", "DH-RU-5", "DH-EX-1", "DH-EX-2", "DH-EX-3", "DH-EX-4", "DH-EX-5"})
  void a_pattern_follows_from_mutability_and_flow(
      String field, boolean mutable, String flow, String pattern) {
    var answer = recommend("field=%s&mutable=%s&flow=%s".formatted(field, mutable, flow));

    var json = Http.json(answer);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(json.path("field").asText()).isEqualTo(field);
    assertThat(json.path("mutable").asBoolean()).isEqualTo(mutable);
    assertThat(json.path("flow").asText()).isEqualTo(flow);
    assertThat(json.path("pattern").asText()).isEqualTo(pattern);
    assertThat(json.path("reason").asText()).isNotBlank();
  }

  /// Its stream would be refused.
  @Test
  @Requirement({"H-9", "DH-RU-6"})
  void a_field_that_is_known_to_be_mutable_is_mutable_whatever_the_caller_says() {
    var json = Http.json(recommend("field=e-mail&mutable=false&flow=single-step"));

    assertThat(json.path("mutable").asBoolean()).isTrue();
    assertThat(json.path("pattern").asText()).isEqualTo("reservation");
  }

  @ParameterizedTest
  @CsvSource({
    "field, mutable=true&flow=single-step",
    "field, field=&mutable=true&flow=single-step",
    "mutable, field=username&flow=single-step",
    "mutable, field=username&mutable=maybe&flow=single-step",
    "flow, field=username&mutable=true",
    "flow, field=username&mutable=true&flow=wizard",
  })
  @Requirement("DH-AC-9")
  void a_wrong_parameter_is_refused_by_its_name(String parameter, String query) {
    var refused = recommend(query);

    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    assertThat(Http.json(refused).path("field").asText()).isEqualTo(parameter);
  }

  private static HttpResponse<String> recommend(String query) {
    return api.get("/v1/patterns?" + query);
  }
}
