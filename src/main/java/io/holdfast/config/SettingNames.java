package io.holdfast.config;

import io.micronaut.context.env.Environment;
import io.micronaut.context.env.PropertySource;
import io.micronaut.context.env.PropertySource.PropertyConvention;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The names of all settings that begin with `holdfast.`. The page of the settings, which is part
/// of the program, is their list, and `SettingsPageTest` compares it with the code.
public final class SettingNames {
  private static final String PAGE = "/settings.md";
  private static final Pattern ON_THE_PAGE = Pattern.compile("\\bHOLDFAST(?:_[A-Z]+)+\\b");
  private static final String PREFIX = "HOLDFAST_";

  /// Names of tools and tests of this project, which the service never reads.
  private static final Pattern OF_TOOLS = Pattern.compile("HOLDFAST_(?:TEST|BENCH)_.*");

  /// What Kubernetes sets for a service called `holdfast…`, and Docker for a linked container.
  private static final Pattern OF_SERVICE_LINKS =
      Pattern.compile(
          "HOLDFAST_(?:.*_)?(?:SERVICE_HOST|SERVICE_PORT(?:_.*)?|PORT_\\d+_(?:TCP|UDP|SCTP)(?:_.*)?)");

  private static final Pattern ADDRESS = Pattern.compile("(?:tcp|udp|sctp)://.*");

  private final Set<String> known;

  private SettingNames(Set<String> known) {
    this.known = known;
  }

  static SettingNames ofThePage() {
    try (var in = SettingNames.class.getResourceAsStream(PAGE)) {
      var page = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return new SettingNames(
          ON_THE_PAGE
              .matcher(page)
              .results()
              .map(MatchResult::group)
              .collect(Collectors.toUnmodifiableSet()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Refuses a setting that does not exist: it is probably misspelt, and the service would run with
  /// the default of the one that was meant. A property has to be written exactly as on the page.
  ///
  /// @throws InvalidSetting for the first one, in the order of their names
  public static void refuseUnknown(Environment environment) {
    var names = ofThePage();
    var unknown = new TreeSet<String>();
    for (var source : environment.getPropertySources()) {
      for (var name : source) {
        var isOurs =
            isVariable(source)
                ? names.isAllowedVariable(name, String.valueOf(source.get(name)))
                : names.isAllowedProperty(name);
        if (!isOurs) {
          unknown.add(name);
        }
      }
    }
    if (!unknown.isEmpty()) {
      throw InvalidSetting.unknown(unknown.first(), names.nearest(unknown.first()));
    }
  }

  private static boolean isVariable(PropertySource source) {
    return source.getConvention() == PropertyConvention.ENVIRONMENT_VARIABLE;
  }

  boolean isAllowedVariable(String name, String value) {
    var isLink = OF_SERVICE_LINKS.matcher(name).matches() || ADDRESS.matcher(value).matches();
    return isLink || isAllowed(name, InvalidSetting.environmentName(name));
  }

  boolean isAllowedProperty(String name) {
    return isAllowed(name, property(InvalidSetting.environmentName(name)));
  }

  /// @param spelt how the name has to be written if it is that of a setting
  private boolean isAllowed(String name, String spelt) {
    var variable = InvalidSetting.environmentName(name);
    return !variable.startsWith(PREFIX)
        || OF_TOOLS.matcher(variable).matches()
        || (known.contains(variable) && name.equals(spelt));
  }

  /// The variable of the setting with the fewest different letters.
  String nearest(String name) {
    var variable = InvalidSetting.environmentName(name);
    return known.stream()
        .min(
            Comparator.comparingInt((String other) -> distance(variable, other))
                .thenComparing(Comparator.naturalOrder()))
        .orElseThrow();
  }

  static String property(String variable) {
    return variable.toLowerCase(Locale.ROOT).replaceFirst("_", ".").replace('_', '-');
  }

  /// How many letters have to be added, removed or replaced to make one of the other (Levenshtein).
  private static int distance(String one, String other) {
    var row = new int[other.length() + 1];
    Arrays.setAll(row, i -> i);
    for (var i = 1; i <= one.length(); i++) {
      var diagonal = row[0];
      row[0] = i;
      for (var j = 1; j <= other.length(); j++) {
        var replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[other.length()];
  }
}
