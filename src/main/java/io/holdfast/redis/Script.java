package io.holdfast.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// One file of `redis-scripts/`: one atomic step, cached by Redis under the SHA-1 of its text. A
/// line `-- include: shared/ending` is replaced by that file, since Lua in Redis has no modules.
public record Script(String name, String text, String sha1) {
  private static final Pattern INCLUDE =
      Pattern.compile("^-- include: (shared/[a-z_]+)\\n", Pattern.MULTILINE);

  /// @param name folder and verb, as in `pool/seed`
  public static Script named(String name) {
    var text = expanded(name);
    return new Script(name, text, sha1(text));
  }

  private static String expanded(String name) {
    return INCLUDE
        .matcher(read(name))
        .replaceAll(found -> Matcher.quoteReplacement(expanded(found.group(1))));
  }

  private static String read(String name) {
    var resource = "/redis-scripts/" + name + ".lua";
    try (var in = Script.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("there is no script " + resource + " on the class path");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String sha1(String text) {
    try {
      var digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-1", e);
    }
  }
}
