package io.holdfast.events.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.events.EventType;
import io.holdfast.events.schema.EventUpcaster.Step;
import io.holdfast.testing.Folders;
import io.holdfast.testing.Http;
import io.holdfast.testing.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A published schema never changes; a change gets a new version.
class SchemaVersionTest {
  private static final EventType TYPE = EventType.HOLD_PLACED;
  private static final Path SCHEMAS = Folders.project().resolve("src/main/resources/event-schemas");
  private static final Path PUBLISHED =
      Folders.project().resolve("src/test/resources/event-schemas.sha256");

  @Test
  @Requirement("EC-KC-3")
  void a_published_schema_is_never_changed() throws Exception {
    try (var files = Files.walk(SCHEMAS)) {
      var present = files.filter(Files::isRegularFile).sorted().map(SchemaVersionTest::line);

      assertThat(present)
          .as(
              "published events follow these schemas: revert the change, and publish it as a new"
                  + " version with a step in EventUpcaster. Record a new version with: (cd"
                  + " src/main/resources/event-schemas && sha256sum */*) >"
                  + " src/test/resources/event-schemas.sha256")
          .containsExactlyElementsOf(Files.readAllLines(PUBLISHED));
    }
  }

  @Test
  @Requirement("EC-KC-3")
  void every_event_type_has_its_newest_schema_and_none_is_newer() throws IOException {
    for (var type : EventType.values()) {
      var newest = type.schema().version();
      try (var files = Files.list(SCHEMAS.resolve(type.word()))) {
        for (var file : files.toList()) {
          var version = SemVer.parse(file.getFileName().toString().replace(".json", ""));

          assertThat(version).as(type.word()).isLessThanOrEqualTo(newest);
          assertThat(Schema.find(type, version)).isPresent();
        }
      }
    }
  }

  /// The mark is what the encryption and the shredding go by: `Schema.validate` refuses a personal
  /// value in a field without it.
  @Test
  @Requirement("EC-RU-3")
  void every_published_field_about_a_person_is_marked_as_personal() throws IOException {
    var all = new TreeSet<String>();
    try (var files = Files.walk(SCHEMAS)) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        var marks = new TreeMap<String, Boolean>();
        collectMarks(Http.json(Files.readString(file)), "", marks);

        all.addAll(marks.keySet());
        assertThat(marks)
            .as(file.toString())
            .allSatisfy(
                (path, isMarked) ->
                    assertThat(isMarked)
                        .as(path)
                        .isEqualTo(path.matches(".*\\.(requester|metadata)")));
      }
    }
    assertThat(all).contains(".hold.requester", ".checkout.requester", ".checkout.metadata");
  }

  /// The members that are marked, and those that bear the name of one.
  private static void collectMarks(JsonNode schema, String path, Map<String, Boolean> marks) {
    var isMarked = schema.path("x-personal").asBoolean();
    if (isMarked || path.matches(".*\\.(requester|metadata)")) {
      marks.put(path, isMarked);
    }
    schema
        .path("properties")
        .properties()
        .forEach(member -> collectMarks(member.getValue(), path + "." + member.getKey(), marks));
    if (schema.has("items") && schema.get("items").isObject() && !path.endsWith("properties")) {
      collectMarks(schema.get("items"), path + "[]", marks);
    }
  }

  @Test
  @Requirement("EC-EX-2")
  void an_old_event_is_converted_to_the_current_version_step_by_step() {
    var upcaster =
        new EventUpcaster(
            List.of(
                step("1.0.0", "1.1.0", "colour", "red"), step("1.1.0", "2.0.0", "size", "large")));

    var data = upcaster.migrateEvent(TYPE, Map.of("item", "A-1"), SemVer.parse("2.0.0"));

    assertThat(data)
        .isEqualTo(
            Map.of("item", "A-1", "colour", "red", "size", "large", "schemaVersion", "2.0.0"));
  }

  @Test
  @Requirement("EC-EX-2")
  void a_version_without_a_step_has_no_migration_path() {
    var upcaster = new EventUpcaster(List.of(step("1.0.0", "2.0.0", "size", "large")));

    assertThatThrownBy(
            () ->
                upcaster.migrateEvent(
                    TYPE, Map.of("schemaVersion", "1.5.0"), SemVer.parse("2.0.0")))
        .hasMessageContaining("No migration path from 1.5.0 to 2.0.0");
  }

  @ParameterizedTest
  @Requirement("EC-EX-2")
  @CsvSource({"1.2.0,1.10.0", "1.9.9,2.0.0", "0.9.0,1.0.0", "1.0.0,1.0.1"})
  void versions_are_compared_as_numbers(String older, String newer) {
    assertThat(SemVer.parse(older)).isLessThan(SemVer.parse(newer));
  }

  @ParameterizedTest
  @Requirement("EC-EX-2")
  @ValueSource(
      strings = {"", "1", "1.0", "1.0.0.0", "01.0.0", "1.0.x", "v1.0.0", "-1.0.0", " 1.0.0"})
  void an_invalid_version_is_refused(String text) {
    assertThatThrownBy(() -> SemVer.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  private static Step step(String from, String to, String field, String value) {
    return new Step(
        TYPE,
        SemVer.parse(from),
        SemVer.parse(to),
        data -> {
          var more = new LinkedHashMap<>(data);
          more.put(field, value);
          return more;
        });
  }

  private static String line(Path file) {
    try {
      var hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
      return HexFormat.of().formatHex(hash) + "  " + SCHEMAS.relativize(file);
    } catch (IOException | NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
