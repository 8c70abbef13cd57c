package io.holdfast.subject;

import io.holdfast.idempotency.Digest;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// A text that a caller chose, such as a logical key, in the forms in which append-only tables keep
/// it.
public final class CallerText {
  /// A shorter name is part of too many texts that are not about the person.
  private static final int NAME_MIN = 3;

  private CallerText() {}

  /// The hash of the text, as the SQL function `hashed` computes it.
  public static String hashed(String text) {
    var bytes = text.getBytes(StandardCharsets.UTF_8);
    var hash = Digest.sha256(new String(bytes, StandardCharsets.ISO_8859_1));
    return "sha256:" + HexFormat.of().formatHex(hash);
  }

  /// The text, or its hash if the requester is named in it.
  public static @Nullable String withoutName(@Nullable String text, String requester) {
    return text == null ? null : hashedIfNamed(text, requester);
  }

  public static String hashedIfNamed(String text, String requester) {
    return names(text, requester) ? hashed(text) : text;
  }

  /// A text for people: it stays readable.
  public static String replaceName(String text, String requester) {
    return names(text, requester) ? text.replace(requester, "(requester)") : text;
  }

  private static boolean names(String text, String requester) {
    return text.equals(requester) || requester.length() >= NAME_MIN && text.contains(requester);
  }
}
