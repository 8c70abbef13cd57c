package io.holdfast.postgres;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Statements for many rows as Postgres reads them fastest. In FROM, `unnest` fills a store of its
/// own for every array before the first row is seen; in a list of columns the arrays are read side
/// by side, row by row, which costs half of that.
public final class ManyRows {
  private static final Pattern ARRAYS =
      Pattern.compile(
          "unnest\\(((?:\\s*\\?::\\w+\\[\\]\\s*,?)+)\\)(?!\\s+WITH ORDINALITY)"
              + "(?:\\s+AS\\s+(\\w+)\\s*\\(([^)]*)\\))?");

  /// There are as many texts as the program has.
  private static final Map<String, String> TEXTS = new ConcurrentHashMap<>();

  private ManyRows() {}

  public static String text(String sql) {
    return TEXTS.computeIfAbsent(sql, ManyRows::made);
  }

  private static String made(String sql) {
    return ARRAYS.matcher(sql).replaceAll(ManyRows::columns);
  }

  private static String columns(MatchResult found) {
    var arrays = found.group(1).strip().split("\\s*,\\s*");
    var names = found.group(3) == null ? List.<String>of() : List.of(found.group(3).split(","));
    var columns = new ArrayList<String>();
    for (var i = 0; i < arrays.length; i++) {
      var name = names.isEmpty() ? "column" + i : names.get(i).strip();
      columns.add("unnest(" + arrays[i] + ") AS " + name);
    }
    var table = found.group(2) == null ? "given" : found.group(2);
    return Matcher.quoteReplacement("(SELECT " + String.join(", ", columns) + ") AS " + table);
  }
}
