package io.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.runtime.StartFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataFolderTest {
  @TempDir Path folder;

  @Test
  void a_folder_has_one_owner_at_a_time() {
    var path = folder.resolve("data");

    try (var _ = DataFolder.take(path)) {
      assertThatThrownBy(() -> DataFolder.take(path))
          .isInstanceOf(StartFailure.class)
          .hasMessageContaining("pid " + ProcessHandle.current().pid())
          .hasMessageContaining("set HOLDFAST_DATA");
    }

    DataFolder.take(path).close();
  }

  @Test
  void a_folder_that_we_make_is_closed_to_others() throws IOException {
    try (var data = DataFolder.take(folder.resolve("a/b/data"))) {
      var rights = PosixFilePermissions.toString(Files.getPosixFilePermissions(data.path()));

      assertThat(rights).isEqualTo("rwx------");
    }
  }

  @Test
  void a_secret_is_generated_once_and_closed_to_others() throws IOException {
    var path = folder.resolve("data");
    String secret;
    try (var data = DataFolder.take(path)) {
      secret = data.secret("id-key");
    }

    try (var again = DataFolder.take(path);
        var other = DataFolder.take(folder.resolve("other"))) {
      var rights = Files.getPosixFilePermissions(path.resolve("id-key"));

      assertThat(again.secret("id-key")).isEqualTo(secret).hasSizeGreaterThanOrEqualTo(32);
      assertThat(other.secret("id-key")).isNotEqualTo(secret);
      assertThat(PosixFilePermissions.toString(rights)).isEqualTo("rw-------");
    }
  }
}
