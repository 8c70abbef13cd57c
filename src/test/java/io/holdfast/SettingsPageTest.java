package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// `docs/settings.md` has every setting that the code reads, and no other. The code names a setting
/// as a property (`holdfast.hold-wait`), the page as an environment variable.
class SettingsPageTest {
  private static final Pattern VARIABLE = Pattern.compile("\\b(?:HOLDFAST|REDIS|JDBC)_[A-Z_]+\\b");

  /// A text in the code with one dot. Names of meters look alike, except behind `builder(`.
  private static final Pattern PROPERTY =
      Pattern.compile("(?<!builder\\(|counter\\()\"((?:holdfast|redis|jdbc)\\.[a-z-]+)\"");

  /// Two attributes of a request and the name of a file.
  private static final Set<String> NOT_SETTINGS =
      Set.of("HOLDFAST_TRACE_ID", "HOLDFAST_ALLOWANCE", "REDIS_CONF");

  @Test
  void the_page_lists_every_setting_of_the_code_and_no_other() throws IOException {
    var ofTheCode = settingsOfTheCode();
    var page = Files.readString(Folders.project().resolve("docs/settings.md"));
    var ofThePage = VARIABLE.matcher(page).results().map(found -> found.group()).toList();

    assertThat(ofTheCode).contains("HOLDFAST_HOLD_WAIT", "HOLDFAST_OPTS", "REDIS_URI");
    assertThat(new TreeSet<>(ofThePage)).isEqualTo(ofTheCode);
  }

  private static Set<String> settingsOfTheCode() throws IOException {
    var names = new TreeSet<String>();
    try (var files = Files.walk(Folders.project().resolve("src/main"))) {
      for (var file : files.filter(SettingsPageTest::isCode).toList()) {
        var text = Files.readString(file);
        VARIABLE.matcher(text).results().forEach(found -> names.add(found.group()));
        PROPERTY.matcher(text).results().forEach(found -> names.add(variable(found.group(1))));
      }
    }
    names.removeAll(NOT_SETTINGS);
    return names;
  }

  private static boolean isCode(Path file) {
    var name = file.getFileName().toString();
    return name.endsWith(".java") || name.endsWith(".sh") || name.equals("Dockerfile");
  }

  private static String variable(String property) {
    return property.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
  }
}
