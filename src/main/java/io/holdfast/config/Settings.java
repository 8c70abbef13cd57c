package io.holdfast.config;

import io.micronaut.context.exceptions.ConfigurationException;
import io.micronaut.core.convert.ConversionService;
import io.micronaut.core.value.PropertyResolver;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;

/// Reads single settings from all sources. A value that cannot be read stops the start; Micronaut's
/// own binding would use the default.
@Singleton
public final class Settings {
  private final PropertyResolver properties;

  public Settings(PropertyResolver properties) {
    this.properties = properties;
  }

  /// A blank setting counts as not set.
  public Optional<String> text(String name) {
    try {
      return properties.getProperty(name, String.class).filter(value -> !value.isBlank());
    } catch (ConfigurationException e) {
      var rule = "must not contain ${, which stands for the value of another setting";
      throw new InvalidSetting(name, rule, "one that does");
    }
  }

  public int number(String name, int otherwise) {
    return read(name, Integer.class, "must be a whole number").orElse(otherwise);
  }

  public Duration duration(String name, Duration otherwise) {
    return read(name, Duration.class, "must be a duration such as 250ms or 5s").orElse(otherwise);
  }

  public boolean flag(String name, boolean otherwise) {
    return switch (text(name).map(String::strip).orElse(Boolean.toString(otherwise))) {
      case "true" -> true;
      case "false" -> false;
      case String other -> throw new InvalidSetting(name, "must be true or false", other);
    };
  }

  private <T> Optional<T> read(String name, Class<T> type, String rule) {
    return text(name)
        .map(
            value ->
                ConversionService.SHARED
                    .convert(value.strip(), type)
                    .orElseThrow(() -> new InvalidSetting(name, rule, value)));
  }
}
