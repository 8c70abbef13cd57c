package io.holdfast.events;

import io.holdfast.events.privacy.DataSubject;
import io.holdfast.events.privacy.PersonalValue;
import io.holdfast.pool.PoolName;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Something that happened, with all that a reader needs to act on it without asking back. What it
/// carries is a snapshot: whatever changes later does not change it.
///
/// @param subject the hold or checkout it is about
/// @param data as the schema of its type says, with `schemaVersion` among it
public record Event(
    EventType type, PoolName pool, String subject, Map<String, @Nullable Object> data) {

  public static final String SCHEMA_VERSION = "schemaVersion";

  public Event {
    data = DeepCopy.of(data);
    type.schema().refuseUnfit(data);
  }

  /// An event of the newest schema of its type. What it does not say of optional data becomes null.
  ///
  /// @throws IllegalArgumentException if the data do not fit that schema
  public static Event createFatEvent(
      EventType type, PoolName pool, String subject, Map<String, ? extends @Nullable Object> data) {
    var schema = type.schema();
    var whole = new LinkedHashMap<String, @Nullable Object>();
    whole.put(SCHEMA_VERSION, schema.version().toString());
    whole.putAll(data);
    return new Event(type, pool, subject, schema.completed(whole));
  }

  /// Exactly the listed fields of an entity; one that it does not have becomes null.
  public static Map<String, @Nullable Object> embedEntity(
      Map<String, ? extends @Nullable Object> entity, List<String> fields) {
    var embedded = new LinkedHashMap<String, @Nullable Object>();
    for (var field : fields) {
      embedded.put(field, DeepCopy.ofValue(entity.get(field)));
    }
    return Collections.unmodifiableMap(embedded);
  }

  /// The same, with some of the fields marked as personal data of somebody.
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

  /// Every entity of a collection, each with exactly the listed fields, in its order.
  public static List<Map<String, @Nullable Object>> embedCollection(
      Collection<? extends Map<String, ? extends @Nullable Object>> entities, List<String> fields) {
    return entities.stream().map(entity -> embedEntity(entity, fields)).toList();
  }
}
