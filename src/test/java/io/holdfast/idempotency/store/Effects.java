package io.holdfast.idempotency.store;

import io.holdfast.app.Service;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentRouteCall.Route;
import io.holdfast.postgres.TestSchema;
import io.holdfast.testing.TestServers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/// A table that shows how often something was done under a token, and calls that do it.
record Effects(TestSchema schema) {
  static final Duration MINUTE = Duration.ofMinutes(1);
  private static final AtomicInteger COUNTER = new AtomicInteger();

  static Effects in(TestServers servers) throws SQLException {
    var effects = new Effects(new TestSchema(servers));
    effects.schema.execute("CREATE TABLE IF NOT EXISTS effect (id text)");
    effects.schema.execute("GRANT ALL ON effect TO PUBLIC");
    return effects;
  }

  static Service start(TestServers servers, String jdbcUrl, Path data) {
    var settings = new HashMap<>(servers.settings());
    settings.put("jdbc.url", jdbcUrl);
    settings.put("jdbc.lock-timeout", "1s");
    settings.put("holdfast.data", data.toString());
    return Service.start(settings);
  }

  static IdempotencyStore results(Service service) {
    return service.context().getBean(IdempotencyStore.class);
  }

  static Token aToken() {
    return new Token("token-" + COUNTER.incrementAndGet());
  }

  static IdempotentRouteCall call(Token token, String asked, Duration window) {
    var digest = Digest.of("create_key", List.of(), Map.of("asked", asked));
    return new IdempotentRouteCall("shop", Route.CREATE_KEY, token, digest, window);
  }

  static IdempotencyStore.Work effect(Token token) {
    return transaction -> {
      try (var insert =
          transaction.connection().prepareStatement("INSERT INTO effect VALUES (?)")) {
        insert.setString(1, token.value());
        insert.executeUpdate();
        return new Answer(200, "done".getBytes(StandardCharsets.UTF_8));
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    };
  }

  long under(Token token) {
    return count("SELECT count(*) FROM effect WHERE id = '%s'".formatted(token.value()));
  }

  long count(String query) {
    try {
      return Long.parseLong(schema.texts(query).getFirst());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
