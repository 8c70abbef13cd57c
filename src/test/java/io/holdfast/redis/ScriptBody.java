package io.holdfast.redis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// The code of a script as far as its contract speaks of it. Knows just enough Lua for that: words,
/// strings, brackets and which `end` closes a function.
final class ScriptBody {
  private static final Pattern TOKEN =
      Pattern.compile(
          "--\\[\\[.*?]]|--[^\\n]*|'(?:\\\\.|[^'\\\\])*'|\"(?:\\\\.|[^\"\\\\])*\""
              + "|[A-Za-z_][A-Za-z0-9_]*|[0-9][0-9A-Za-z.]*|\\.{2,3}|[=~<>]=|\\S",
          Pattern.DOTALL);
  private static final Pattern ANSWER = Pattern.compile("['\"]([A-Z][A-Z_]*)['\"]");
  private static final Set<String> OPENING = Set.of("function", "if", "do", "repeat");
  private static final Set<String> CLOSING = Set.of("end", "until");

  private final List<String> tokens;

  ScriptBody(String script) {
    tokens =
        TOKEN
            .matcher(script)
            .results()
            .map(MatchResult::group)
            .filter(token -> !token.startsWith("--"))
            .toList();
  }

  /// The numbers that stand in `KEYS[n]` or `ARGV[n]`.
  Set<Integer> indexes(String array) {
    return places(array)
        .filter(i -> isPlainIndex(i))
        .mapToObj(i -> Integer.valueOf(at(i + 2)))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// Whether the array is used in another way than by a plain number: in a loop, or as a whole.
  boolean usesFreely(String array) {
    return places(array).anyMatch(i -> !isPlainIndex(i));
  }

  /// The commands, as they stand in the file. `?` is one that no literal names.
  List<String> commands() {
    return IntStream.range(0, tokens.size())
        .filter(i -> at(i).equals("redis") && at(i + 1).equals(".") && at(i + 2).endsWith("call"))
        .mapToObj(i -> at(i + 3).equals("(") && isString(at(i + 4)) ? unquoted(at(i + 4)) : "?")
        .toList();
  }

  boolean mentions(String... sequence) {
    return places(sequence[0])
        .anyMatch(
            i -> IntStream.range(0, sequence.length).allMatch(n -> at(i + n).equals(sequence[n])));
  }

  /// The first words of all tables that start with one, which is how an answer looks.
  Set<String> words() {
    return places("{")
        .filter(this::opensAnswer)
        .mapToObj(i -> unquoted(at(i + 1)))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// What the script returns without a literal word in front, each as its first tokens.
  List<String> wordlessAnswers() {
    return wordlessReturnsOf("", new TreeSet<>());
  }

  /// A return of something named is followed to the table or to the function of that name.
  private List<String> wordlessReturnsOf(String function, Set<String> seen) {
    var wordless = new ArrayList<String>();
    for (var start : returnsOf(function)) {
      var tables = outerTables(start);
      var name = at(start);
      if (!tables.isEmpty()) {
        tables.stream().filter(i -> !opensAnswer(i)).map(this::excerpt).forEach(wordless::add);
      } else if (mentions("function", name) && seen.add(name)) {
        wordless.addAll(wordlessReturnsOf(name, seen));
      } else if (!seen.contains(name) && !isNamedAnswer(name)) {
        wordless.add(excerpt(start));
      }
    }
    return wordless;
  }

  /// Where the expressions start that `function` returns; the script itself has no name.
  private List<Integer> returnsOf(String function) {
    var starts = new ArrayList<Integer>();
    Deque<String> blocks = new ArrayDeque<>();
    for (var i = 0; i < tokens.size(); i++) {
      if (OPENING.contains(at(i))) {
        blocks.push(at(i).equals("function") ? "function " + at(i + 1) : at(i));
      } else if (CLOSING.contains(at(i))) {
        blocks.pop();
      } else if (at(i).equals("return") && enclosing(blocks).equals(function)) {
        starts.add(i + 1);
      }
    }
    return starts;
  }

  private static String enclosing(Deque<String> blocks) {
    return blocks.stream()
        .filter(block -> block.startsWith("function "))
        .findFirst()
        .map(block -> block.substring("function ".length()))
        .orElse("");
  }

  private List<Integer> outerTables(int start) {
    var tables = new ArrayList<Integer>();
    var depth = 0;
    for (var i = start; i < tokens.size() && !endsReturn(at(i)); i++) {
      if (at(i).equals("{") && depth++ == 0) {
        tables.add(i);
      } else if (at(i).equals("}")) {
        depth--;
      }
    }
    return tables;
  }

  private static boolean endsReturn(String token) {
    return CLOSING.contains(token) || token.equals("else") || token.equals("elseif");
  }

  private boolean isNamedAnswer(String name) {
    return places(name).anyMatch(i -> at(i + 1).equals("=") && opensAnswer(i + 2));
  }

  private boolean opensAnswer(int i) {
    return at(i).equals("{") && ANSWER.matcher(at(i + 1)).matches();
  }

  private boolean isPlainIndex(int i) {
    return at(i + 1).equals("[") && at(i + 2).matches("\\d+") && at(i + 3).equals("]");
  }

  private IntStream places(String token) {
    return IntStream.range(0, tokens.size()).filter(i -> at(i).equals(token));
  }

  private String excerpt(int start) {
    return String.join(" ", tokens.subList(start, Math.min(tokens.size(), start + 5)));
  }

  private String at(int i) {
    return i < tokens.size() ? tokens.get(i) : "";
  }

  private static boolean isString(String token) {
    return token.startsWith("'") || token.startsWith("\"");
  }

  private static String unquoted(String token) {
    return token.substring(1, token.length() - 1);
  }
}
