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
  private static final Pattern ANSWER = Pattern.compile("['\"]([A-Z][A-Z_]*)(?:['\"]|\\\\t).*");
  private static final Set<String> OPENING = Set.of("function", "if", "do", "repeat");
  private static final Set<String> CLOSING = Set.of("end", "until");

  /// Before or at the start of a statement.
  private static final Set<String> STARTING =
      Set.of("return", "then", "do", "else", "elseif", "if", "end", "for", "while", "local");

  /// What answers to calls are gathered in, and what one is put in before that.
  private static final String OUTCOMES = "outcomes";

  private static final Set<String> ANSWERED = Set.of(OUTCOMES, "outcome", "refused");
  private static final String[] ALIAS = "call = string . format , redis . call".split(" ");

  private final List<String> tokens;

  ScriptBody(String script) {
    tokens =
        LuaFunctions.withoutUnused(
            TOKEN
                .matcher(script)
                .results()
                .map(MatchResult::group)
                .filter(token -> !token.startsWith("--"))
                .toList());
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

  /// The commands, as they stand in the file. `?` is one that no literal names. `call` may be
  /// another name of `redis.call`.
  List<String> commands() {
    var isAliased = mentions(ALIAS);
    return IntStream.range(0, tokens.size())
        .filter(i -> at(i).endsWith("call") && (isOfRedis(i) || isAliased && at(i + 1).equals("(")))
        .filter(i -> !isAliased || at(i + 1).equals("("))
        .mapToObj(i -> at(i + 1).equals("(") && isString(at(i + 2)) ? unquoted(at(i + 2)) : "?")
        .toList();
  }

  private boolean isOfRedis(int i) {
    return i > 1 && at(i - 1).equals(".") && at(i - 2).equals("redis");
  }

  boolean mentions(String... sequence) {
    return places(sequence[0])
        .anyMatch(
            i -> IntStream.range(0, sequence.length).allMatch(n -> at(i + n).equals(sequence[n])));
  }

  /// The first words of what looks like an answer: a table that starts with one, a text that is
  /// returned or remembered, the first text of a reply, an outcome.
  Set<String> words() {
    return IntStream.range(1, tokens.size())
        .filter(i -> isWord(i) && isAnswer(i))
        .mapToObj(i -> ANSWER.matcher(at(i)).replaceFirst("$1"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private boolean isAnswer(int i) {
    return Set.of("return", "{").contains(at(i - 1)) || isFirstText(i) || isOutcome(i);
  }

  /// `reply[1] = 'WORD'`
  private boolean isFirstText(int i) {
    return i > 4
        && i < tokens.size()
        && tokens.subList(i - 4, i).equals(List.of("[", "1", "]", "="));
  }

  /// In a statement that sets an outcome or returns what it has remembered, and not compared.
  private boolean isOutcome(int i) {
    var start = i - 1;
    while (start > 0 && !startsStatement(start)) {
      start--;
    }
    var isRemembered = at(start).equals("return") && at(start + 1).equals("remember");
    return (isRemembered || ANSWERED.contains(at(start))) && !at(i - 1).endsWith("=")
        || ANSWERED.contains(at(start)) && at(i - 1).equals("=");
  }

  private boolean startsStatement(int i) {
    var isAssigned = at(i + 1).equals("=") || at(i + 1).equals("[") && assignsElement(i);
    return STARTING.contains(at(i)) || isName(i) && isAssigned;
  }

  /// `name[…] =`
  private boolean assignsElement(int i) {
    var close = i + 2;
    while (close < tokens.size() && !at(close).equals("]")) {
      close++;
    }
    return at(close + 1).equals("=");
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

  /// The answers to calls, or what is declared as one, alone or as the first of some.
  private boolean isNamedAnswer(String name) {
    return name.equals(OUTCOMES)
        || places(name).anyMatch(i -> isFirstText(i + 5) && isWord(i + 5) || declaresAnswer(i));
  }

  private boolean declaresAnswer(int i) {
    var equals = i + 1;
    while (at(equals).equals(",")) {
      equals += 2;
    }
    return at(equals).equals("=") && opensAnswer(equals + 1);
  }

  private boolean opensAnswer(int i) {
    return at(i).equals("{") && isWord(i + 1);
  }

  private boolean isName(int i) {
    return at(i).matches("[A-Za-z_].*");
  }

  private boolean isWord(int i) {
    return ANSWER.matcher(at(i)).matches();
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
