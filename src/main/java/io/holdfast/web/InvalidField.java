package io.holdfast.web;

import org.jspecify.annotations.Nullable;

/// A part of a request that could be read and makes no sense. Carries no stack: it is the caller's
/// mistake, and refusing has to cost less than serving.
public final class InvalidField extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final @Nullable String field;

  /// @param field where it is, such as `items[2].item`; null where no one part is to blame
  public InvalidField(@Nullable String field, String sentence) {
    super(sentence, null, false, false);
    this.field = field;
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
