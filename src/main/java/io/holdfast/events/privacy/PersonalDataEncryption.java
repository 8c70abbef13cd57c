package io.holdfast.events.privacy;

import io.holdfast.events.EventJson;
import io.holdfast.subject.DataSubject;
import io.holdfast.subject.SubjectKeys;
import java.security.SecureRandom;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Encrypts each personal value of an event in place, and decrypts it while its key exists.
public final class PersonalDataEncryption {
  private static final String KEY_ID = "__sealed";
  private static final String CIPHER = "cipher";
  private static final String ORIGINAL_TYPE = "originalType";

  private PersonalDataEncryption() {}

  /// @param fields the paths of the encrypted values, by key id
  public record Encrypted(String data, Map<Long, Set<String>> fields) {}

  public static final Encrypted NOTHING = new Encrypted("", Map.of());

  /// The persons that the personal values are about.
  public static Set<DataSubject> persons(Map<String, @Nullable Object> data) {
    var persons = new HashSet<DataSubject>();
    PersonalFieldWalker.each(data, EventJson.PERSONAL, part -> persons.add(person(part)));
    return persons;
  }

  public static Encrypted encrypt(
      long eventId,
      Map<String, @Nullable Object> data,
      Map<DataSubject, SubjectKeys.Key> keys,
      SecureRandom random) {
    var fields = new HashMap<Long, Set<String>>();
    var encrypted =
        PersonalFieldWalker.replace(
            data,
            EventJson.PERSONAL,
            (part, path) -> {
              var value = part.get(EventJson.VALUE);
              if (value == null) {
                return null;
              }
              var key = keys.get(person(part));
              fields.computeIfAbsent(key.id(), _ -> new TreeSet<>()).add(path);
              var text = EventJson.write(Collections.singletonMap(EventJson.VALUE, value));
              return Map.of(
                  KEY_ID, key.id(),
                  ORIGINAL_TYPE, Redaction.typeOf(value),
                  CIPHER, key.cipher().encrypt(text, position(eventId, path), random));
            });
    return new Encrypted(EventJson.write(encrypted), fields);
  }

  /// The ids of the keys that decrypt the data.
  public static Set<Long> keyIds(Map<String, @Nullable Object> data) {
    var ids = new HashSet<Long>();
    PersonalFieldWalker.each(data, KEY_ID, part -> ids.add((Long) part.get(KEY_ID)));
    return ids;
  }

  /// A value whose key was destroyed is replaced by a redaction.
  public static Map<String, @Nullable Object> decrypt(
      long eventId, Map<String, @Nullable Object> data, Map<Long, SubjectKeys.KeyState> keys) {
    return PersonalFieldWalker.replace(
        data,
        KEY_ID,
        (part, path) -> {
          var key = keys.get((Long) part.get(KEY_ID));
          if (key.shreddedAt() != null) {
            return Redaction.redacted((String) part.get(ORIGINAL_TYPE), key.shreddedAt());
          }
          var text = key.cipher().decrypt((String) part.get(CIPHER), position(eventId, path));
          return EventJson.read(text).get(EventJson.VALUE);
        });
  }

  /// Binds a ciphertext to one field of one event.
  private static String position(long eventId, String path) {
    return eventId + " " + path;
  }

  private static DataSubject person(Map<?, ?> part) {
    var names = (List<?>) part.get(EventJson.PERSONAL);
    return new DataSubject((String) names.get(0), (String) names.get(1));
  }
}
