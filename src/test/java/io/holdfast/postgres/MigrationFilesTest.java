package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The form of the files of `db-migrations/`, and that released files do not change.
class MigrationFilesTest {
  private static final Path RECORD =
      Folders.project().resolve("src/test/resources/migrations.sha256");

  /// The body of a function does not run in the migration.
  private static final Pattern FUNCTION =
      Pattern.compile("(?s)CREATE (OR REPLACE )?FUNCTION.*?\\$\\$.*?\\$\\$");

  @Test
  void migrations_are_numbered_from_one_without_gaps() throws IOException {
    var names = files().map(file -> file.getFileName().toString()).toList();

    assertThat(names).isNotEmpty().allMatch(name -> name.matches("V\\d{3}__[a-z0-9_]+\\.sql"));
    assertThat(names.stream().map(name -> Integer.valueOf(name.substring(1, 4))))
        .containsExactlyElementsOf(IntStream.rangeClosed(1, names.size()).boxed().toList());
  }

  @ParameterizedTest
  @MethodSource("files")
  void a_migration_opens_with_why_and_with_the_locks_it_takes(Path file) throws IOException {
    var opening = Files.readAllLines(file).stream().takeWhile(line -> line.startsWith("--"));

    var said = opening.map(line -> line.substring(2).strip()).toList();

    assertThat(said).as("the opening comment").isNotEmpty();
    assertThat(said.getFirst()).as("why").matches("[A-Z].{30,}");
    assertThat(said).as("the locks").anyMatch(line -> line.matches("Locks: \\S.*"));
  }

  @ParameterizedTest
  @MethodSource("files")
  void a_migration_only_adds(Path file) throws IOException {
    assertThat(FUNCTION.matcher(Files.readString(file)).replaceAll(""))
        .as(
            "the release before still runs while this migration does; a column is dropped one"
                + " release after its last reader, and then this test is told so")
        .doesNotContainPattern("(?i)\\b(DROP\\s+(TABLE|COLUMN)|RENAME\\s+(TO|COLUMN))\\b");
  }

  @Test
  void a_migration_once_recorded_is_never_changed() throws Exception {
    var recorded = Files.readAllLines(RECORD);

    assertThat(checksums())
        .as(
            "migrations that have run somewhere must stay as they are: take the change back and"
                + " write a new migration. For a new one, record it: (cd db-migrations &&"
                + " sha256sum V*.sql) > src/test/resources/migrations.sha256")
        .containsExactlyElementsOf(recorded);
  }

  static Stream<Path> files() throws IOException {
    try (var files = Files.list(Folders.project().resolve("db-migrations"))) {
      return files.sorted().toList().stream();
    }
  }

  private static List<String> checksums() throws IOException, NoSuchAlgorithmException {
    var lines = Stream.<String>builder();
    for (var file : files().toList()) {
      var hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
      lines.add(HexFormat.of().formatHex(hash) + "  " + file.getFileName());
    }
    return lines.build().toList();
  }
}
