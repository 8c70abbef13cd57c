package io.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;

/// Texts that must not change, with a copy in `src/test/resources/`. The present lines are written
/// to `build/` under the name of the copy, for the case that lines are added.
public final class StoredCopy {
  private StoredCopy() {}

  public static void assertSame(String name, String why, List<String> lines) {
    try {
      Files.write(Folders.build().resolve(name), lines);
      var copy = Folders.project().resolve("src/test/resources").resolve(name);
      assertThat(lines).as(why).containsExactlyElementsOf(Files.readAllLines(copy));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
