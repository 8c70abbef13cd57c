package io.holdfast.postgres;

import java.sql.Types;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Statements for many rows as they are for a single one. `unnest` reads every array into a store
/// of its own, some six microseconds each, which is most of what a statement costs that writes one
/// row of sixteen columns; plain values cost nothing.
public final class LoneRow {
  private static final Pattern ARRAYS =
      Pattern.compile(
          "unnest\\(((?:\\s*\\?::\\w+\\[\\]\\s*,?)+)\\)(\\s+WITH ORDINALITY)?(\\s+AS\\b)?");
  private static final Pattern ANY = Pattern.compile("= ANY \\(\\?::(\\w+)\\[\\]\\)");

  /// There are as many texts as the program has.
  private static final Map<String, String> TEXTS = new ConcurrentHashMap<>();

  private LoneRow() {}

  public static String text(String sql) {
    return TEXTS.computeIfAbsent(sql, LoneRow::made);
  }

  private static String made(String sql) {
    var values = ARRAYS.matcher(sql).replaceAll(LoneRow::values);
    return ANY.matcher(values).replaceAll("= ?::$1");
  }

  private static String values(MatchResult arrays) {
    var given = arrays.group(1).replace("[]", "");
    var place = arrays.group(2) == null ? "" : ", 1::bigint";
    var name = arrays.group(3) == null ? " AS lone" : arrays.group(3);
    return Matcher.quoteReplacement("(VALUES (" + given + place + "))" + name);
  }

  static int sqlType(String type) {
    return switch (type) {
      case "text" -> Types.VARCHAR;
      case "bigint" -> Types.BIGINT;
      case "float8" -> Types.DOUBLE;
      case "bytea" -> Types.BINARY;
      default -> throw new IllegalArgumentException("no column is of type " + type);
    };
  }
}
