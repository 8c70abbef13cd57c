package io.holdfast.events.privacy;

import io.holdfast.testing.TestServers;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.Range;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/// Looks for a name in everything that Postgres and Redis have: in all columns of all tables of the
/// catalogue, and in the names and values of all keys. Columns of bytes are searched in
/// hexadecimal, and the name is also looked for in base 64, in other encodings, and as the hash of
/// the caller and the name, which would lead to what is stored beside it.
///
/// Other hashes may stay, because it is documented: of whole requests, of the texts of a caller,
/// and of the subject of a JWT, which is a caller.
record NameSearch(TestServers servers, RedisOf redis, String caller, String name) {

  /// Runs work on a connection to a Redis.
  interface RedisOf {
    <T> T on(Function<RedisCommands<String, String>, T> work);
  }

  NameSearch(TestServers servers, String name) {
    this(servers, servers::redis, "operator", name);
  }

  NameSearch of(String other) {
    return new NameSearch(servers, redis, other, name);
  }

  /// Where the name is: tables and keys, each with one of the places.
  Map<String, String> found() {
    var found = new TreeMap<String, String>();
    inPostgres(found);
    redis.on(each -> inRedis(each, found));
    return found;
  }

  private List<String> forms() {
    var whole = Base64.getUrlEncoder().withoutPadding().encodeToString(utf8(name));
    var base64 = whole.substring(0, utf8(name).length / 3 * 4);
    return List.of(
        name,
        asciiPart(),
        HexFormat.of().formatHex(utf8(asciiPart())),
        base64,
        hash("SHA-1"),
        hash("SHA-256"));
  }

  /// What any encoding of the name has as it is.
  private String asciiPart() {
    return Stream.of(name.split("[^\\x20-\\x7e]+"))
        .max(Comparator.comparing(String::length))
        .orElseThrow();
  }

  private String hash(String algorithm) {
    try {
      var digest = MessageDigest.getInstance(algorithm).digest(utf8(caller + "\t" + name));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static boolean isNamed(List<String> forms, String text) {
    return forms.stream().anyMatch(text::contains);
  }

  private void inPostgres(Map<String, String> found) {
    var forms = forms();
    try (var connection = servers.connection()) {
      for (var table : tables(connection)) {
        for (var row : rows(connection, table)) {
          if (isNamed(forms, row)) {
            found.put("table " + table, row);
          }
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> tables(Connection connection) throws SQLException {
    return texts(
        connection,
        """
        SELECT quote_ident(nspname) || '.' || quote_ident(relname)
          FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE relkind IN ('r', 'm') AND nspname <> 'information_schema' AND nspname !~ '^pg_'
         ORDER BY 1
        """);
  }

  /// A row as text has all its columns.
  private static List<String> rows(Connection connection, String table) throws SQLException {
    return texts(connection, "SELECT each::text FROM %s AS each".formatted(table));
  }

  private static List<String> texts(Connection connection, String sql) throws SQLException {
    var texts = new ArrayList<String>();
    try (var select = connection.createStatement();
        var rows = select.executeQuery(sql)) {
      while (rows.next()) {
        texts.add(rows.getString(1));
      }
    }
    return texts;
  }

  private int inRedis(RedisCommands<String, String> redis, Map<String, String> found) {
    var keys = new ArrayList<String>();
    KeyScanCursor<String> cursor = redis.scan();
    keys.addAll(cursor.getKeys());
    while (!cursor.isFinished()) {
      cursor = redis.scan(ScanCursor.of(cursor.getCursor()));
      keys.addAll(cursor.getKeys());
    }
    var forms = forms();
    for (var key : keys) {
      var value = key + " " + value(redis, key);
      if (isNamed(forms, value)) {
        found.put("key " + key.replaceAll("\\{p:[^}]*}", "{p}"), value);
      }
    }
    return keys.size();
  }

  private static String value(RedisCommands<String, String> redis, String key) {
    var type = redis.type(key);
    return switch (type) {
      case "string" -> redis.get(key);
      case "hash" -> redis.hgetall(key).toString();
      case "list" -> redis.lrange(key, 0, -1).toString();
      case "set" -> redis.smembers(key).toString();
      case "zset" -> redis.zrange(key, 0, -1).toString();
      case "stream" -> redis.xrange(key, Range.unbounded()).toString();
      case "none" -> ""; // it has expired since
      default -> throw new IllegalStateException(key + " is a " + type);
    };
  }
}
