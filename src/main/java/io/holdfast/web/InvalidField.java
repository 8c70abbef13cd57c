package io.holdfast.web;

import org.jspecify.annotations.Nullable;

/// A field of a request with a value that is not allowed. It has no stack trace, because refusing a
/// request has to cost less than serving it.
public final class InvalidField extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final @Nullable String field;

  /// @param field its path, such as `items[2].item`; null if no single field is wrong
  public InvalidField(@Nullable String field, String sentence) {
    super(sentence, null, false, false);
    this.field = field;
  }

  /// @param rule what the field has to be, as the end of a sentence
  public static InvalidField of(String field, String rule) {
    return new InvalidField(field, "The field " + field + " " + rule + ".");
  }

  public @Nullable String field() {
    return field;
  }

  public String sentence() {
    return getMessage();
  }

  public Problem problem() {
    return Problem.invalid(field, sentence());
  }
}
