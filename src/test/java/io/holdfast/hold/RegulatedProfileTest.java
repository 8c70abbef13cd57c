package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// With a regulated profile no token window is shorter than the slowest retry.
@ExtendWith(RealServers.class)
class RegulatedProfileTest {
  @Test
  @Requirement({"IR-CF-03", "IR-CF-02"})
  void no_pool_gets_a_window_that_is_shorter_than_the_slowest_retry(
      TestServers servers, @TempDir Path folder) {
    var settings =
        Map.<String, Object>of(
            "holdfast.slowest-retry", "24h", "holdfast.idempotency-window", "24h");
    try (var service = Instances.start(servers, folder.resolve("data"), settings)) {
      var api = Api.of(service);

      var tooShort =
          api.createPool(
              "short-" + Api.token(), List.of("A-1"), "{\"idempotencyWindowSeconds\":600}");
      var longEnough =
          api.createPool(
              "long-" + Api.token(), List.of("A-1"), "{\"idempotencyWindowSeconds\":86400}");

      assertThat(tooShort.statusCode()).as(tooShort.body()).isEqualTo(400);
      assertThat(Http.json(tooShort).get("field").asText())
          .isEqualTo("policy.idempotencyWindowSeconds");
      assertThat(longEnough.statusCode()).as(longEnough.body()).isEqualTo(201);
    }
  }
}
