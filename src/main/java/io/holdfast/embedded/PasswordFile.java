package io.holdfast.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.HexFormat;

/// A password that is generated once and stored in a file that only its owner can read.
record PasswordFile(Path file, String value) {
  private static final int BYTES = 24;

  /// Reads the file, or creates it with a new password. Not for several threads at once; the data
  /// folder belongs to one process.
  static PasswordFile in(Path file) {
    try {
      if (Files.notExists(file)) {
        create(file);
      }
      return new PasswordFile(file, Files.readString(file).strip());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot store a password in " + file, e);
    }
  }

  private static void create(Path file) throws IOException {
    var random = new byte[BYTES];
    new SecureRandom().nextBytes(random);
    var part = file.resolveSibling(file.getFileName() + ".part");
    Files.deleteIfExists(part);
    Files.createFile(part);
    DataFolder.makePrivate(part);
    Files.writeString(
        part,
        HexFormat.of().formatHex(random) + "\n",
        StandardOpenOption.WRITE,
        StandardOpenOption.SYNC);
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public String toString() {
    return "the secret in " + file;
  }
}
