package io.holdfast.web;

/// A body that is not one JSON object, read strictly. No answer to it is ever stored under a token,
/// because nobody can say what was asked.
public final class UnparsableBody extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnparsableBody(String sentence) {
    super(sentence, null, false, false);
  }
}
