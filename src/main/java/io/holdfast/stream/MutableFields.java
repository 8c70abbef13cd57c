package io.holdfast.stream;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/// The names of fields whose values can change. A name also matches inside a longer one, word by
/// word: `email` matches `e-mail`, `emailAddress` and `work_email`, but not `emailed`.
///
/// @param names as they are configured
record MutableFields(List<String> names) {
  /// Between words: anything but letters and digits, and before a capital letter of camelCase.
  private static final Pattern BETWEEN_WORDS =
      Pattern.compile("[^\\p{L}\\p{N}]+|(?<=[\\p{Ll}\\p{N}])(?=\\p{Lu})");

  MutableFields {
    names = List.copyOf(names);
  }

  boolean contains(String field) {
    var words = words(field);
    return names.stream().map(name -> String.join("", words(name))).anyMatch(in(words)::contains);
  }

  private static List<String> words(String name) {
    return BETWEEN_WORDS
        .splitAsStream(name)
        .map(word -> word.toLowerCase(Locale.ROOT))
        .filter(word -> !word.isEmpty())
        .toList();
  }

  /// Every run of words, joined.
  private static List<String> in(List<String> words) {
    return IntStream.range(0, words.size())
        .boxed()
        .flatMap(
            from ->
                IntStream.rangeClosed(from + 1, words.size())
                    .mapToObj(to -> String.join("", words.subList(from, to))))
        .toList();
  }
}
