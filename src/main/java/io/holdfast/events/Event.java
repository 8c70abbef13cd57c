package io.holdfast.events;

import io.holdfast.events.privacy.PersonalValue;
import io.holdfast.pool.PoolName;
import io.holdfast.subject.DataSubject;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A new event with all the data that a reader needs. The data are an immutable snapshot that fits
/// the schema of the type.
///
/// @param subject the id of the hold or checkout
/// @param data including `schemaVersion`
public record Event(
    EventType type, PoolName pool, String subject, Map<String, @Nullable Object> data) {

  public static final String SCHEMA_VERSION = "schemaVersion";

  public Event {
    data = DeepCopy.of(data);
    type.schema().validate(data);
  }

  /// Creates an event of the newest schema version. Missing optional members become null.
  ///
  /// @throws IllegalArgumentException if the data do not fit that schema
  public static Event createFatEvent(
      EventType type, PoolName pool, String subject, Map<String, ? extends @Nullable Object> data) {
    var schema = type.schema();
    var versioned = new LinkedHashMap<String, @Nullable Object>();
    versioned.put(SCHEMA_VERSION, schema.version().toString());
    versioned.putAll(data);
    return new Event(type, pool, subject, schema.complete(versioned));
  }

  /// Copies exactly the listed fields of an entity; a missing field becomes null.
  public static Map<String, @Nullable Object> embedEntity(
      Map<String, ? extends @Nullable Object> entity, List<String> fields) {
    var embedded = new LinkedHashMap<String, @Nullable Object>();
    for (var field : fields) {
      embedded.put(field, DeepCopy.ofValue(entity.get(field)));
    }
    return Collections.unmodifiableMap(embedded);
  }

  /// The same, with some of the fields marked as personal data.
  public static Map<String, @Nullable Object> embedEntity(
      Map<String, ? extends @Nullable Object> entity,
      List<String> fields,
      DataSubject person,
      Set<String> shreddable) {
    var embedded = new LinkedHashMap<>(embedEntity(entity, fields));
    for (var field : shreddable) {
      embedded.computeIfPresent(field, (_, value) -> new PersonalValue(person, value));
    }
    return Collections.unmodifiableMap(embedded);
  }

  /// Copies exactly the listed fields of every entity, in order.
  public static List<Map<String, @Nullable Object>> embedCollection(
      Collection<? extends Map<String, ? extends @Nullable Object>> entities, List<String> fields) {
    return entities.stream().map(entity -> embedEntity(entity, fields)).toList();
  }
}
