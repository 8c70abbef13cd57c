package io.holdfast.stream;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// The keys of a deployment in their order. The first one makes new ids. The others have made ids
/// that still count, so a key is never taken away: the business keys of its streams are not stored,
/// and nobody could compute their ids anew.
public final class IdKeys {
  private static final int KEYS_MAX = 8;
  private static final Pattern KEY = Pattern.compile("(?<version>[0-9]{1,6}):(?<secret>.*)");

  private final List<IdKey> keys;

  private IdKeys(List<IdKey> keys) {
    this.keys = keys;
  }

  /// Reads `2:<secret>,1:<older secret>`.
  ///
  /// @throws IllegalArgumentException with a rule as its message, and never with a secret
  public static IdKeys parse(String text) {
    var keys = new ArrayList<IdKey>();
    for (var part : text.split(",", -1)) {
      var key = key(part.strip());
      if (keys.stream().anyMatch(other -> other.version() == key.version())) {
        throw new IllegalArgumentException("must have each version once");
      }
      if (keys.stream().anyMatch(key::hasSecretOf)) {
        throw new IllegalArgumentException("must have another secret in each version");
      }
      keys.add(key);
    }
    if (keys.size() > KEYS_MAX) {
      throw new IllegalArgumentException("must have at most %d keys".formatted(KEYS_MAX));
    }
    return new IdKeys(List.copyOf(keys));
  }

  /// A key for another purpose, from which nobody can compute the secret.
  public record DerivedKey(int version, byte[] secret) {}

  /// One key for each version, the current one first.
  ///
  /// @param purpose other purposes get other keys
  public List<DerivedKey> derived(String purpose) {
    var message = purpose.getBytes(StandardCharsets.US_ASCII);
    return keys.stream().map(key -> new DerivedKey(key.version(), key.mac(message))).toList();
  }

  IdKey current() {
    return keys.getFirst();
  }

  /// The current one first.
  List<IdKey> all() {
    return keys;
  }

  @Override
  public String toString() {
    return keys.toString();
  }

  private static IdKey key(String text) {
    var found = KEY.matcher(text);
    if (!found.matches()) {
      throw new IllegalArgumentException(
          "must be a list of version:secret divided by commas, the current key first");
    }
    return new IdKey(Integer.parseInt(found.group("version")), found.group("secret"));
  }
}
