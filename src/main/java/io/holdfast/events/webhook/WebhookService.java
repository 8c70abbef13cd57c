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
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Registers, changes, deletes and replays webhooks, once per idempotency token.
@Singleton
final class WebhookService {
  /// Each webhook has its own threads and connections.
  static final int WEBHOOKS_MAX = 100;

  private static final int SECRET_BYTES = 32;
  private static final Duration OVERLAP = Duration.ofDays(1);

  private final IdempotencyStore store;
  private final WebhookTable table;
  private final IdempotencyHttp http;
  private final PublicAddressResolver addresses;
  private final WebhookSettings settings;
  private final WebhookLeases leases;
  private final SecureRandom random;

  WebhookService(
      IdempotencyStore store,
      WebhookTable table,
      IdempotencyHttp http,
      PublicAddressResolver addresses,
      WebhookSettings settings,
      WebhookLeases leases,
      SecureRandom random) {
    this.store = store;
    this.table = table;
    this.http = http;
    this.addresses = addresses;
    this.settings = settings;
    this.leases = leases;
    this.random = random;
  }

  /// The DNS query happens before the transaction.
  IdempotentResult create(IdempotentRouteCall call, Map<String, @Nullable Object> body) {
    var check = check(body);
    return once(
        call,
        connection ->
            switch (check) {
              case Accepted(var webhook) -> insert(connection, call, webhook);
              case Refused(var problem) -> http.stored(problem);
            });
  }

  IdempotentResult delete(IdempotentRouteCall call, long id) {
    return once(
        call,
        connection -> {
          var found = table.find(call.caller(), id);
          if (found.isEmpty()) {
            return http.stored(notKnown());
          }
          table.markDeleted(id);
          DeliveryCursors.deleteAll(connection, id);
          leases.drop(id);
          return http.stored(HttpStatus.OK, new WebhookJson.Deleted(Long.toString(id), true));
        });
  }

  IdempotentResult replay(IdempotentRouteCall call, long id, Map<String, @Nullable Object> body) {
    return once(call, connection -> replay(connection, call, id, JsonFields.of(body)));
  }

  /// Enabled again, it continues where it stopped.
  IdempotentResult change(IdempotentRouteCall call, long id, Map<String, @Nullable Object> body) {
    return once(
        call,
        connection -> {
          var change = WebhookBodies.Change.read(JsonFields.of(body));
          if (table.find(call.caller(), id).isEmpty()) {
            return http.stored(notKnown());
          }
          if (change.enabled()) {
            DeliveryCursors.retryNow(connection, id);
            table.enable(id);
          } else {
            table.disable(id, "disabled by its owner");
            leases.drop(id);
          }
          var changed = table.find(call.caller(), id).orElseThrow();
          return http.stored(HttpStatus.OK, WebhookJson.of(changed));
        });
  }

  IdempotentResult rotateSecret(
      IdempotentRouteCall call, long id, Map<String, @Nullable Object> body) {
    return once(
        call,
        _ -> {
          var given = WebhookBodies.Rotate.read(JsonFields.of(body)).overlapSeconds();
          if (table.find(call.caller(), id).isEmpty()) {
            return http.stored(notKnown());
          }
          var overlap = given == null ? OVERLAP : Duration.ofSeconds(given);
          table.rotate(id, newSecret(), overlap.toMillis());
          var rotated = table.find(call.caller(), id).orElseThrow();
          return http.stored(HttpStatus.OK, WebhookJson.Rotated.of(rotated));
        });
  }

  private Answer insert(Connection connection, IdempotentRouteCall call, NewWebhook webhook)
      throws SQLException {
    if (table.count() >= WEBHOOKS_MAX) {
      var detail =
          "The limit of %d webhooks is reached; delete one that is not used."
              .formatted(WEBHOOKS_MAX);
      return http.stored(Problem.refused(HttpStatus.CONFLICT, "webhook-limit", detail));
    }
    var types = webhook.types().toArray(String[]::new);
    var pools = webhook.poolNames().toArray(String[]::new);
    var created = table.insert(call.caller(), webhook.url(), types, pools, newSecret());
    DeliveryCursors.startAfterLastEvents(connection, created.id());
    return http.stored(HttpStatus.CREATED, WebhookJson.Created.of(created));
  }

  private String newSecret() {
    var bytes = new byte[SECRET_BYTES];
    random.nextBytes(bytes);
    return "whsec_" + Base64.getEncoder().encodeToString(bytes);
  }

  private Answer replay(Connection connection, IdempotentRouteCall call, long id, JsonFields fields)
      throws SQLException {
    var body = ReplayBody.read(fields);
    var pool = body.pool();
    var from = body.from();
    var webhook = table.find(call.caller(), id);
    if (webhook.isEmpty()) {
      return http.stored(notKnown());
    }
    if (pool != null && !isPool(connection, pool)) {
      return http.stored(
          Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such pool."));
    }
    if (pool != null && !webhook.get().isFor(pool)) {
      throw fields.invalid("pool", "is not one of the pools of this webhook");
    }
    if (pool != null) {
      var head = DeliveryCursors.head(connection, pool).orElse(0L);
      if (from > head + 1) {
        throw fields.invalid(
            "from", "must be at most one above the last event of the pool, which is " + head);
      }
      DeliveryCursors.set(connection, new Lane(id, pool), from - 1);
    }
    DeliveryCursors.retryNow(connection, id);
    table.enable(id);
    var enabled = table.find(call.caller(), id).orElseThrow();
    return http.stored(HttpStatus.OK, WebhookJson.of(enabled));
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

  private IdempotentResult once(IdempotentRouteCall call, Work work) {
    var result = store.once(call, transaction -> runOrRefuse(transaction, work));
    leases.webhooksChanged();
    return result;
  }

  private Answer runOrRefuse(Transaction transaction, Work work) {
    try {
      return work.on(transaction.connection());
    } catch (InvalidField e) {
      return http.stored(e.problem());
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  private sealed interface Check {}

  private record Accepted(NewWebhook webhook) implements Check {}

  private record Refused(Problem problem) implements Check {}

  private Check check(Map<String, @Nullable Object> body) {
    try {
      var webhook = NewWebhook.of(body, settings.isPrivateAllowed());
      addresses.resolve(webhook.host());
      return new Accepted(webhook);
    } catch (InvalidField e) {
      return new Refused(e.problem());
    } catch (PublicAddressResolver.Forbidden e) {
      return new Refused(addressProblem("forbidden-address", "is not public"));
    } catch (UnknownHostException e) {
      return new Refused(addressProblem("unknown-address", "was not found"));
    }
  }

  private static Problem addressProblem(String code, String why) {
    var detail = "The address of the host in url " + why + "; no webhook was registered.";
    return Problem.refused(HttpStatus.UNPROCESSABLE_ENTITY, code, detail).about("url");
  }

  static Problem notKnown() {
    return Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such webhook.");
  }
}
