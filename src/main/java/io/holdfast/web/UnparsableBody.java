package io.holdfast.web;

/// A body that `JsonBody` refuses. Its refusal is not stored under a token, because it has no
/// digest to compare a retry with.
public final class UnparsableBody extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnparsableBody(String sentence) {
    super(sentence, null, false, false);
  }
}
