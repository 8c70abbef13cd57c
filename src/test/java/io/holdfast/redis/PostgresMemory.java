package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;
import module java.sql;

/// A pool in a real Postgres, kept by the functions of the mode without Redis, which read the hour
/// from a table instead of the server.
final class PostgresMemory implements HoldMemory {
  private static final String POOL = "arena";
  private static final Set<String> ENDS = Set.of("RELEASED", "EXPIRED");
  private static final String MOVABLE_CLOCK =
      """
      SET synchronous_commit = off;
      DROP TABLE IF EXISTS test_clock;
      CREATE TABLE test_clock AS SELECT 0::bigint AS now_ms;
      CREATE OR REPLACE FUNCTION intent_now() RETURNS bigint LANGUAGE sql VOLATILE AS
      'SELECT now_ms FROM test_clock'
      """;

  private final Connection connection;

  PostgresMemory(Connection connection) {
    this.connection = connection;
    execute(MOVABLE_CLOCK);
  }

  @Override
  public List<Object> call(String script, List<String> keys, Object... arguments) {
    var all = Stream.concat(Stream.of(Arena.OURS), Stream.of(arguments).map(String::valueOf));
    var sql = "SELECT intent_%s(?, ?, ?)".formatted(script.replace('/', '_'));
    try (var select = connection.prepareStatement(sql)) {
      select.setString(1, POOL);
      select.setArray(2, connection.createArrayOf("text", keys.toArray()));
      select.setArray(3, connection.createArrayOf("text", all.toArray()));
      try (var row = select.executeQuery()) {
        row.next();
        return Arrays.asList((Object[]) row.getArray(1).getArray());
      }
    } catch (SQLException e) {
      throw new IllegalStateException(script + " " + List.of(arguments), e);
    }
  }

  @Override
  public void setClock(long now) {
    execute("UPDATE test_clock SET now_ms = " + now);
  }

  @Override
  public void sell(String item, String value) {
    var parts = (value + " ").split(" ", -1);
    update(
        "UPDATE intent_item SET version = ?::bigint, status = ? WHERE item = ?",
        parts[0],
        parts[1],
        item);
  }

  @Override
  public void loseAll() {
    execute(
        "TRUNCATE intent_pool, intent_tally, intent_item, intent_hold, intent_token,"
            + " intent_journal");
  }

  @Override
  public void forget(List<String> gone) {
    for (var name : gone) {
      var colon = name.indexOf(':');
      var rest = name.substring(colon + 1);
      switch (name.substring(0, colon)) {
        case "item" -> update("UPDATE intent_item SET fence = NULL WHERE item = ?", rest);
        case "hold" -> update("DELETE FROM intent_hold WHERE fence = ?::bigint", rest);
        case "tok" -> update("DELETE FROM intent_token WHERE key = ?", name);
        default -> throw new IllegalStateException(name);
      }
    }
  }

  @Override
  public void assertIsAs(HoldModel model) {
    assertThat(pairs("SELECT item, fence::text FROM intent_item WHERE fence IS NOT NULL"))
        .isEqualTo(named(model.holders, holder -> String.valueOf(holder.fence())));
    assertThat(pairs("SELECT fence::text, intent_record(h) FROM intent_hold h"))
        .isEqualTo(named(model.holds, ModelHold::text));
    assertThat(pairs("SELECT substr(key, 5), entry FROM intent_token"))
        .isEqualTo(named(model.entries, PostgresMemory::text));
    assertThat(pairs("SELECT fence::text, due_ms::text FROM intent_hold WHERE state = 'HELD'"))
        .isEqualTo(
            model
                .held()
                .collect(
                    Collectors.toMap(
                        h -> String.valueOf(h.fence), h -> String.valueOf(h.leaseUntil))));
    var held = model.held().mapToInt(hold -> hold.wish.items().size()).sum();
    assertThat(
            pairs(
                "SELECT epoch::text, ((SELECT last_value FROM intent_fence) - base)::text FROM"
                    + " intent_pool"))
        .isEqualTo(Map.of(String.valueOf(model.epoch), String.valueOf(model.seq)));
    assertThat(pairs("SELECT sum(version)::text, sum(held)::text FROM intent_tally"))
        .isEqualTo(Map.of(String.valueOf(model.version), String.valueOf(held)));
    assertThat(ends()).doesNotHaveDuplicates();
    assertThat(ends())
        .containsAll(
            model.holds.values().stream()
                .filter(hold -> !hold.isHeld())
                .map(hold -> hold.fence)
                .toList());
  }

  private static String text(HoldModel.Entry entry) {
    var outcome = entry.outcome().stream().map(String::valueOf).toList();
    return "%s\t%s\t%s".formatted(entry.action(), entry.digest(), String.join("\t", outcome));
  }

  @Override
  public List<Long> ends() {
    return pairs("SELECT n::text, line FROM intent_journal").values().stream()
        .map(line -> line.split("\t"))
        .filter(line -> ENDS.contains(line[7]))
        .map(line -> Long.valueOf(line[9]))
        .toList();
  }

  private static <V> Map<String, String> named(Map<?, V> values, Function<V, String> text) {
    return values.entrySet().stream()
        .collect(Collectors.toMap(e -> e.getKey().toString(), e -> text.apply(e.getValue())));
  }

  private Map<String, String> pairs(String sql) {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      var found = new HashMap<String, String>();
      while (rows.next()) {
        found.put(rows.getString(1), rows.getString(2));
      }
      return found;
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  private void execute(String sql) {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  private void update(String sql, String... values) {
    try (var update = connection.prepareStatement(sql)) {
      for (var i = 0; i < values.length; i++) {
        update.setString(i + 1, values[i]);
      }
      update.executeUpdate();
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }
}
