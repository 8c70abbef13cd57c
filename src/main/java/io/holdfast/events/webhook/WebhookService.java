package io.holdfast.events.webhook;

import io.holdfast.events.webhook.DeliveryCursors.Lane;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transaction;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpStatus;
import jakarta.inject.Singleton;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Registers, deletes and replays webhooks, once for each token.
@Singleton
final class WebhookService {
  /// Each has threads and connections of its own.
  static final int MOST = 100;

  private static final int SECRET_BYTES = 32;

  private final IdempotencyStore results;
  private final IdempotencyHttp once;
  private final PublicAddressResolver addresses;
  private final WebhookSettings settings;
  private final WebhookLeases owned;
  private final SecureRandom random;

  WebhookService(
      IdempotencyStore results,
      IdempotencyHttp once,
      PublicAddressResolver addresses,
      WebhookSettings settings,
      WebhookLeases owned,
      SecureRandom random) {
    this.results = results;
    this.once = once;
    this.addresses = addresses;
    this.settings = settings;
    this.owned = owned;
    this.random = random;
  }

  /// The address is looked up before the transaction: nobody outside is asked within it.
  IdempotentResult create(IdempotentRouteCall call, Map<String, @Nullable Object> body) {
    var wish = wish(body);
    return changed(
        call,
        connection ->
            switch (wish) {
              case Wished(var webhook) -> made(connection, call, webhook);
              case Refused(var problem) -> once.stored(problem);
            });
  }

  IdempotentResult delete(IdempotentRouteCall call, long id) {
    return changed(
        call,
        connection -> {
          var found = WebhookTable.find(connection, call.caller(), id);
          if (found.isEmpty()) {
            return once.stored(notKnown());
          }
          WebhookTable.delete(connection, id);
          owned.forget(id);
          return once.stored(HttpStatus.OK, new WebhookJson.Deleted(Long.toString(id), true));
        });
  }

  IdempotentResult replay(IdempotentRouteCall call, long id, Map<String, @Nullable Object> body) {
    return changed(call, connection -> replayed(connection, call, id, JsonFields.of(body)));
  }

  private Answer made(Connection connection, IdempotentRouteCall call, NewWebhook wish)
      throws SQLException {
    if (WebhookTable.count(connection) >= MOST) {
      var detail = "There are %d webhooks already; delete one that is not used.".formatted(MOST);
      return once.stored(Problem.refused(HttpStatus.CONFLICT, "webhook-limit", detail));
    }
    var bytes = new byte[SECRET_BYTES];
    random.nextBytes(bytes);
    var secret = "whsec_" + Base64.getEncoder().encodeToString(bytes);
    var made = WebhookTable.insert(connection, call.caller(), wish, secret);
    return once.stored(HttpStatus.CREATED, WebhookJson.Made.of(made));
  }

  private Answer replayed(
      Connection connection, IdempotentRouteCall call, long id, JsonFields fields)
      throws SQLException {
    var body = ReplayBody.read(fields);
    var pool = body.pool();
    var from = body.from();
    if (WebhookTable.find(connection, call.caller(), id).isEmpty()) {
      return once.stored(notKnown());
    }
    if (pool != null && !isPool(connection, pool)) {
      return once.stored(
          Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such pool."));
    }
    if (pool != null) {
      var head = DeliveryCursors.head(connection, pool).orElse(0L);
      if (from > head + 1) {
        throw fields.invalid("from", "is behind the last event of that pool, which is " + head);
      }
      DeliveryCursors.set(connection, new Lane(id, pool), from - 1);
    }
    DeliveryCursors.hurry(connection, id);
    WebhookTable.enable(connection, id);
    var enabled = WebhookTable.find(connection, call.caller(), id).orElseThrow();
    return once.stored(HttpStatus.OK, WebhookJson.of(enabled));
  }

  private static boolean isPool(Connection connection, String name) throws SQLException {
    try (var select = connection.prepareStatement("SELECT 1 FROM pool WHERE pool = ?")) {
      select.setString(1, name);
      try (var rows = select.executeQuery()) {
        return rows.next();
      }
    }
  }

  private interface Work {
    Answer on(Connection connection) throws SQLException;
  }

  private IdempotentResult changed(IdempotentRouteCall call, Work work) {
    var outcome = results.once(call, transaction -> refusalOr(transaction, work));
    owned.lookAgain();
    return outcome;
  }

  private Answer refusalOr(Transaction transaction, Work work) {
    try {
      return work.on(transaction.connection());
    } catch (InvalidField e) {
      return once.stored(e.problem());
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  private sealed interface Wish {}

  private record Wished(NewWebhook webhook) implements Wish {}

  private record Refused(Problem problem) implements Wish {}

  private Wish wish(Map<String, @Nullable Object> body) {
    try {
      var wish = NewWebhook.of(body, settings.isPrivateAllowed());
      addresses.resolve(wish.host());
      return new Wished(wish);
    } catch (InvalidField e) {
      return new Refused(e.problem());
    } catch (PublicAddressResolver.Forbidden e) {
      return new Refused(unusable("forbidden-address", "is not public"));
    } catch (UnknownHostException e) {
      return new Refused(unusable("unknown-address", "cannot be found now"));
    }
  }

  private static Problem unusable(String code, String why) {
    var detail = "The address of the host in url " + why + "; nothing was registered.";
    return Problem.refused(HttpStatus.UNPROCESSABLE_ENTITY, code, detail).about("url");
  }

  static Problem notKnown() {
    return Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such webhook.");
  }
}
