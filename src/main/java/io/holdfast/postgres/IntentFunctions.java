package io.holdfast.postgres;

import io.holdfast.intent.IntentMode;
import io.holdfast.intent.IntentUnavailable;
import io.holdfast.intent.Life;
import io.holdfast.intent.Script;
import io.holdfast.intent.Scripts;
import io.micronaut.context.annotation.Requires;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.stream.Stream;

/// Runs scripts where there is no Redis: each is a function in Postgres, `intent_hold_place` for
/// `hold/place`, and one statement is one transaction. A call waits on a thread of its own for a
/// connection and for its answer, as long as the link lets it, and keeps no event loop waiting.
@Singleton
@Requires(property = IntentMode.SETTING, value = IntentMode.WITHOUT_REDIS)
final class IntentFunctions implements Scripts {
  private static final String SERVER = "postgres";
  private static final String END_OF_TAG = "}:";
  private static final int LENGTH_OF_TAG = "{p:".length();

  private final PostgresLink link;
  private final PostgresClock clock;
  private final Life life;
  private final ExecutorService executor;

  IntentFunctions(
      PostgresLink link,
      PostgresClock clock,
      Life life,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.link = link;
    this.clock = clock;
    this.life = life;
    this.executor = executor;
  }

  @Override
  public CompletionStage<List<Object>> call(Script script, String[] keys, String... others) {
    var reply = new CompletableFuture<List<Object>>();
    executor.execute(
        () -> {
          try {
            reply.complete(run(script, keys, others));
          } catch (RuntimeException e) {
            reply.completeExceptionally(e);
          }
        });
    return reply;
  }

  @Override
  public boolean isSerial() {
    return false;
  }

  @Override
  public Instant now() {
    try {
      return clock.now();
    } catch (PostgresUnavailable e) {
      throw new IntentUnavailable(e.isDefinite(), e);
    }
  }

  private List<Object> run(Script script, String[] keys, String[] others) {
    var connection = borrow();
    try {
      return ask(connection, script, keys, others);
    } catch (SQLException e) {
      throw new IntentUnavailable(isRolledBack(e), e);
    } finally {
      Transactions.giveBack(connection);
    }
  }

  private Connection borrow() {
    try {
      return link.connection();
    } catch (SQLException e) { // nothing was sent
      throw new IntentUnavailable(true, e);
    }
  }

  private List<Object> ask(Connection connection, Script script, String[] keys, String[] others)
      throws SQLException {
    var tag = keys[0].indexOf(END_OF_TAG);
    var suffixes = Stream.of(keys).map(key -> key.substring(tag + END_OF_TAG.length())).toArray();
    var arguments = Stream.concat(Stream.of(SERVER + life.mark()), Stream.of(others)).toArray();
    try (var select = connection.prepareStatement(sql(script))) {
      select.setString(1, keys[0].substring(LENGTH_OF_TAG, tag));
      select.setArray(2, connection.createArrayOf("text", suffixes));
      select.setArray(3, connection.createArrayOf("text", arguments));
      try (var row = select.executeQuery()) {
        row.next();
        return Arrays.asList((Object[]) row.getArray(1).getArray());
      }
    }
  }

  private static String sql(Script script) {
    return "SELECT intent_%s(?, ?, ?)".formatted(script.name().replace('/', '_'));
  }

  /// An error that the server reports for a statement has undone it. A connection that broke (08),
  /// or that the server ended (57P), tells nothing: the statement commits before its answer is
  /// complete.
  private static boolean isRolledBack(SQLException e) {
    var state = String.valueOf(e.getSQLState());
    return e.getSQLState() != null && !state.startsWith("08") && !state.startsWith("57P");
  }
}
