package io.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.runtime.StartFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BinaryExtractorTest {
  private static final String RESOURCE =
      "redis-server-" + BundledVersions.REDIS + "-" + Platform.current().redis();

  @TempDir Path folder;

  @Test
  void files_of_an_interrupted_start_are_deleted() throws Exception {
    Files.createDirectories(folder.resolve("redis.part"));
    Files.writeString(folder.resolve("redis.part/redis-server"), "half of it");

    var unpacked = unpack();

    assertThat(Files.isExecutable(unpacked.resolve("redis-server"))).isTrue();
    assertThat(Files.size(unpacked.resolve("redis-server"))).isGreaterThan(1_000_000);
    assertThat(folder.resolve("redis.part")).doesNotExist();
  }

  @Test
  void several_starts_at_once_unpack_once() {
    var starts =
        Stream.generate(() -> CompletableFuture.supplyAsync(this::unpack)).limit(4).toList();

    assertThat(starts.stream().map(CompletableFuture::join)).containsOnly(folder.resolve("redis"));
  }

  @Test
  void an_unsupported_platform_gets_an_error_with_a_remedy() {
    var unpacking = new BinaryExtractor(folder.resolve("postgres"), "PostgreSQL");

    assertThatThrownBy(() -> unpacking.archive("postgres-atari.txz"))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("has no PostgreSQL for this machine")
        .hasMessageContaining("set REDIS_URI and JDBC_URL");
  }

  @Test
  void a_platform_without_binaries_gets_an_error_with_a_remedy() {
    for (var os : List.of("Windows 11", "SunOS")) {
      assertThatThrownBy(() -> Platform.of(os, "amd64"))
          .isInstanceOf(StartFailure.class)
          .hasMessageContaining(os);
    }
  }

  @Test
  void platforms_are_called_as_their_archives_are() {
    assertThat(Platform.of("Linux", "amd64"))
        .isEqualTo(new Platform("linux-x86_64", "linux-amd64"));
    assertThat(Platform.of("Linux", "aarch64"))
        .isEqualTo(new Platform("linux-arm_64", "linux-arm64"));
    assertThat(Platform.of("Mac OS X", "aarch64"))
        .isEqualTo(new Platform("darwin-arm_64", "darwin-arm64"));
    assertThat(Platform.of("Mac OS X", "x86_64"))
        .isEqualTo(new Platform("darwin-x86_64", "darwin-amd64"));
  }

  private Path unpack() {
    return new BinaryExtractor(folder.resolve("redis"), "Redis")
        .executable(RESOURCE, "redis-server");
  }
}
