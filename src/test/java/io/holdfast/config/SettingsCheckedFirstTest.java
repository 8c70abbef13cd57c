package io.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.app.Service;
import io.holdfast.runtime.StartFailure;
import io.holdfast.testing.Folders;
import io.holdfast.testing.HoldfastProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// All settings are checked before a server is started: a wrong one leaves nothing to clean up.
class SettingsCheckedFirstTest {
  /// Neither a number, nor a duration, a flag, an address, a list of names or a safe key.
  private static final String WRONG = "!";

  private static final Pattern ROW = Pattern.compile("(?m)^\\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \\|");

  /// Any text is allowed, or only what it leads to can be wrong; the URL of the provider is noticed
  /// for what it needs beside it. The service does not read the password of the containers.
  private static final Set<String> FREE =
      Set.of(
          "HOLDFAST_HOST",
          "HOLDFAST_DATA",
          "HOLDFAST_BINARIES",
          "HOLDFAST_LOG_LEVEL",
          "HOLDFAST_JWKS",
          "HOLDFAST_PAYMENT_URL",
          "JDBC_USER",
          "JDBC_PASSWORD",
          "POSTGRES_PASSWORD");

  @TempDir Path folder;

  @ParameterizedTest
  @MethodSource
  void a_wrong_setting_is_refused_before_any_server_is_started(String variable) {
    assertRefused(Map.of(property(variable), WRONG), "(environment %s)".formatted(variable));
  }

  static Stream<String> a_wrong_setting_is_refused_before_any_server_is_started()
      throws IOException {
    var page = Files.readString(Folders.project().resolve("docs/settings.md"));
    return ROW.matcher(page)
        .results()
        .map(row -> row.group(1))
        .flatMap(names -> Pattern.compile("[A-Z_]+").matcher(names).results())
        .map(MatchResult::group)
        .filter(name -> !FREE.contains(name))
        .distinct();
  }

  @Test
  void a_missing_key_of_stream_ids_is_noticed_before_redis_is_started() {
    assertRefused(
        Map.of("jdbc.url", "jdbc:postgresql://127.0.0.1:1/none"), "(environment HOLDFAST_ID_KEY)");
  }

  @Test
  void a_misspelt_setting_is_noticed_before_any_server_is_started() {
    assertRefused(Map.of("holdfast.rate-limits", "10"), "(environment HOLDFAST_RATE_LIMIT)");
  }

  private void assertRefused(Map<String, String> wrong, String name) {
    var settings = new HashMap<String, Object>(wrong);
    settings.put("holdfast.data", folder.toString());
    settings.put("holdfast.binaries", Folders.binaries().toString());

    assertThatThrownBy(() -> Service.start(settings).close())
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining(name);

    assertThat(HoldfastProcess.processesOf(folder)).isEmpty();
    for (var file : List.of("redis", "redis.pid", "redis.log", "postgres", "postgres.pid")) {
      assertThat(folder.resolve(file)).doesNotExist();
    }
  }

  private static String property(String variable) {
    return SettingNames.property(variable);
  }
}
