package io.holdfast.stream;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import io.micronaut.context.annotation.Factory;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.stream.Stream;

/// The settings of streams.
///
/// @param keys make the ids
/// @param mutableFields the fields for which no stream is created
record StreamSettings(IdKeys keys, MutableFields mutableFields) {
  static final String ID_KEY = "holdfast.id-key";
  private static final String MUTABLE_FIELDS = "holdfast.mutable-fields";

  private static final String MUTABLE_FIELDS_DEFAULT = "email,phone,displayName";
  private static final String NONE = "none";
  private static final int NAMES_MAX = 100;
  private static final int NAME_LENGTH_MAX = 64;

  StreamSettings {
    InvalidSetting.unlessBetween(MUTABLE_FIELDS, 0, NAMES_MAX, mutableFields.names().size());
    for (var name : mutableFields.names()) {
      if (name.length() > NAME_LENGTH_MAX || name.chars().noneMatch(Character::isLetterOrDigit)) {
        var rule = "must be names of 1 to %d characters, or none".formatted(NAME_LENGTH_MAX);
        throw new InvalidSetting(MUTABLE_FIELDS, rule, name);
      }
    }
  }

  static StreamSettings of(Settings settings) {
    var fields = settings.text(MUTABLE_FIELDS).orElse(MUTABLE_FIELDS_DEFAULT).strip();
    return new StreamSettings(
        keys(settings), new MutableFields(fields.equals(NONE) ? List.of() : names(fields)));
  }

  /// `IdKeyRegister` needs it at the start of the service, so a wrong setting stops it. The
  /// commands `migrate` and `audit` do not make ids and need no key.
  @Factory
  static final class Beans {
    @Singleton
    StreamSettings streamSettings(Settings settings) {
      return of(settings);
    }

    @Singleton
    IdKeys idKeys(StreamSettings settings) {
      return settings.keys;
    }

    @Singleton
    DeterministicStreamIds streamIds(StreamSettings settings) {
      return new DeterministicStreamIds(settings.keys);
    }
  }

  /// With an embedded Postgres, the start has set a generated key. A Postgres of its own may have
  /// several instances, which must make equal ids, so a key of one data folder would not do.
  private static IdKeys keys(Settings settings) {
    var text = settings.text(ID_KEY);
    if (text.isEmpty()) {
      var rule =
          "must be set with a Postgres of your own, to 1: and %d or more random characters,"
                  .formatted(IdKey.SECRET_LENGTH_MIN)
              + " the same on all instances";
      throw new InvalidSetting(ID_KEY, rule, "not set");
    }
    try {
      return IdKeys.parse(text.get());
    } catch (IllegalArgumentException e) {
      throw new InvalidSetting(ID_KEY, e.getMessage(), "something else");
    }
  }

  private static List<String> names(String text) {
    return Stream.of(text.split(",")).map(String::strip).toList();
  }
}
