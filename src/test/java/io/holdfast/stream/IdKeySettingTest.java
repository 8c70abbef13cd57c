package io.holdfast.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.app.Service;
import io.holdfast.runtime.StartFailure;
import io.holdfast.testing.Api;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The settings of streams: a Postgres of its own needs a key.
@ExtendWith(RealServers.class)
class IdKeySettingTest {

  @ParameterizedTest
  @CsvSource({
    "'', must be set with a Postgres of your own",
    "SECRET, must be a list of version:secret",
    "1:SECRET, must have 32 to 1024 characters",
  })
  void a_start_without_a_good_key_names_the_setting(
      String value, String rule, TestServers servers) {
    assertThatThrownBy(() -> RealServers.start(servers, Map.of("holdfast.id-key", value)).close())
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("holdfast.id-key (environment HOLDFAST_ID_KEY)")
        .hasMessageContaining(rule)
        .message()
        .doesNotContain("SECRET");
  }

  @Test
  @Requirement("DH-RU-6")
  void the_list_of_mutable_fields_is_a_setting(TestServers servers, Service service) {
    var name = Streams.aName();
    Streams.of(service).create(name);
    try (var other = RealServers.start(servers, Map.of("holdfast.mutable-fields", "username"))) {
      var strict = Streams.of(other);
      var mail = Streams.body(Streams.aName(), 0, "UserCreated").replace("username", "email");

      assertThat(Api.code(strict.create(Streams.aName()))).isEqualTo("mutable-field");
      assertThat(strict.post(Api.token(), mail).statusCode()).isEqualTo(201);
      assertThat(strict.append(Api.token(), name, 1, "Closed").statusCode())
          .as("a stream that exists is not locked")
          .isEqualTo(201);
    }
    assertThatThrownBy(
            () -> RealServers.start(servers, Map.of("holdfast.mutable-fields", "a,,b")).close())
        .hasMessageContaining("HOLDFAST_MUTABLE_FIELDS");
  }
}
