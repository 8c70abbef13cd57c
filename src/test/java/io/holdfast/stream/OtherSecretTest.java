package io.holdfast.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Two instances with different secrets do not create two streams of one business key.
@ExtendWith(RealServers.class)
class OtherSecretTest {

  /// Both have started before there was a stream to compare with.
  @Test
  @Requirement("H-10")
  void an_instance_with_another_secret_creates_nothing(TestServers servers, Service service) {
    var settings =
        Map.<String, Object>of("holdfast.id-key", "1:another-secret-of-thirty-two-characters");
    try (var other = RealServers.start(servers, settings)) {
      var name = Streams.aName();
      assertThat(Streams.of(service).create(name).statusCode()).isEqualTo(201);

      assertThat(Streams.of(other).create(name).statusCode()).isEqualTo(500);
      assertThat(Streams.of(other).create(Streams.aName()).statusCode()).isEqualTo(500);
    }
    assertThat(Rows.of(servers).number("SELECT count(*) FROM stream")).isEqualTo(1);
  }
}
