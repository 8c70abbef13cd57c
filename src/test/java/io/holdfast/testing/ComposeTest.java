package io.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/// Checks `docker-compose.yml` without Docker.
class ComposeTest {
  private final Map<String, Map<String, Map<String, Object>>> compose = read();

  @Test
  void compose_uses_the_server_images_of_the_tests() {
    assertThat(service("redis").get("image")).isEqualTo(ContainerServers.REDIS);
    assertThat(service("postgres").get("image")).isEqualTo(ContainerServers.POSTGRES);
  }

  @Test
  void redis_is_persistent_and_both_servers_use_volumes() {
    assertThat(service("redis").get("command").toString())
        .contains("--appendonly yes")
        .contains("--maxmemory-policy noeviction");
    assertThat(compose.get("volumes")).containsKeys("redis", "postgres", "holdfast");
  }

  @Test
  void the_service_is_built_from_the_dockerfile_and_waits_for_healthy_servers() {
    var build = (Map<?, ?>) service("holdfast").get("build");

    assertThat(Folders.project().resolve(build.get("dockerfile").toString())).exists();
    assertThat(service("holdfast").get("depends_on").toString())
        .isEqualTo("{redis={condition=service_healthy}, postgres={condition=service_healthy}}");
    assertThat(service("redis")).containsKey("healthcheck");
    assertThat(service("postgres")).containsKey("healthcheck");
  }

  @Test
  void the_service_gets_the_key_of_stream_ids_from_the_shell_and_has_no_default() {
    var environment = (Map<?, ?>) service("holdfast").get("environment");

    assertThat(environment.get("HOLDFAST_ID_KEY").toString()).startsWith("${HOLDFAST_ID_KEY:?");
  }

  private Map<String, Object> service(String name) {
    return compose.get("services").get(name);
  }

  private static Map<String, Map<String, Map<String, Object>>> read() {
    try {
      return new Yaml(new SafeConstructor(new LoaderOptions()))
          .load(Files.readString(Folders.project().resolve("docker-compose.yml")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
