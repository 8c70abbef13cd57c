package io.holdfast.events.privacy;

import io.holdfast.events.EventJson;
import java.security.SecureRandom;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Puts a sealed part in the place of each personal part of an event, and opens them again for as
/// long as there is a key.
public final class PersonalDataEncryption {
  private static final String SEALED = "__sealed";
  private static final String CIPHER = "cipher";
  private static final String ORIGINAL_TYPE = "originalType";

  private PersonalDataEncryption() {}

  /// @param fields the paths of what was sealed, by the number of the key
  public record Sealed(String data, Map<Long, Set<String>> fields) {}

  public static final Sealed NOTHING = new Sealed("", Map.of());

  /// Whom the personal parts are about.
  public static Set<DataSubject> persons(Map<String, @Nullable Object> data) {
    var persons = new HashSet<DataSubject>();
    PersonalFieldWalker.each(data, EventJson.PERSONAL, part -> persons.add(person(part)));
    return persons;
  }

  public static Sealed close(
      long eventId,
      Map<String, @Nullable Object> data,
      Map<DataSubject, SubjectKeys.Key> keys,
      SecureRandom random) {
    var fields = new HashMap<Long, Set<String>>();
    var sealed =
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
                  SEALED, key.id(),
                  ORIGINAL_TYPE, Redaction.typeOf(value),
                  CIPHER, key.seal().close(text, place(eventId, path), random));
            });
    return new Sealed(EventJson.write(sealed), fields);
  }

  /// The numbers of the keys that open the data.
  public static Set<Long> keys(Map<String, @Nullable Object> data) {
    var ids = new HashSet<Long>();
    PersonalFieldWalker.each(data, SEALED, part -> ids.add((Long) part.get(SEALED)));
    return ids;
  }

  /// What has no key any more is shown as redacted.
  public static Map<String, @Nullable Object> open(
      long eventId, Map<String, @Nullable Object> data, Map<Long, SubjectKeys.Trace> traces) {
    return PersonalFieldWalker.replace(
        data,
        SEALED,
        (part, path) -> {
          var trace = traces.get((Long) part.get(SEALED));
          if (trace.shreddedAt() != null) {
            return Redaction.redacted((String) part.get(ORIGINAL_TYPE), trace.shreddedAt());
          }
          var text = trace.seal().open((String) part.get(CIPHER), place(eventId, path));
          return EventJson.read(text).get(EventJson.VALUE);
        });
  }

  private static String place(long eventId, String path) {
    return eventId + " " + path;
  }

  private static DataSubject person(Map<?, ?> part) {
    var names = (List<?>) part.get(EventJson.PERSONAL);
    return new DataSubject((String) names.get(0), (String) names.get(1));
  }
}
