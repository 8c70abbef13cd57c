package io.holdfast.commitment;

import io.holdfast.runtime.StartFailure;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// The hash of the deployed program: of its jar, or of the class that sells if it runs from class
/// folders.
@Singleton
public final class ArtifactHash {
  private final String hash;

  public ArtifactHash() {
    try {
      var place = Path.of(Ledger.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      hash = sha256(Files.isRegularFile(place) ? Files.readAllBytes(place) : ownClass());
    } catch (IOException | URISyntaxException e) {
      throw new StartFailure("The program cannot read itself; install it again.", e);
    }
  }

  public String hash() {
    return hash;
  }

  private static byte[] ownClass() throws IOException {
    try (var bytes = Ledger.class.getResourceAsStream("Ledger.class")) {
      return bytes == null ? new byte[0] : bytes.readAllBytes();
    }
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
