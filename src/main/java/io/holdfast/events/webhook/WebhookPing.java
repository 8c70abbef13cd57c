package io.holdfast.events.webhook;

import io.holdfast.events.webhook.DeliveryAttempt.Outcome;
import io.holdfast.events.webhook.DeliveryOutcome.Delivered;
import io.holdfast.events.webhook.DeliveryOutcome.Failed;
import io.holdfast.events.webhook.DeliveryOutcome.Gone;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.Transactions;
import io.holdfast.web.Problem;
import io.holdfast.web.ProblemException;
import io.micronaut.http.HttpStatus;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// Sends an event that tests a webhook, also a disabled one, and answers what the receiver said.
/// The call is made outside of a transaction: a call that is repeated because its answer was not
/// stored sends the same event id again. It changes neither the webhook nor its deliveries.
@Singleton
final class WebhookPing {
  /// A receiver may take the whole time limit of a delivery.
  private static final int PINGS_MAX = 16;

  private static final String RETRY_AFTER_SECONDS = "1";

  private final IdempotencyStore store;
  private final IdempotencyHttp http;
  private final WebhookTable table;
  private final WebhookSender sender;
  private final Transactions transactions;
  private final Semaphore permits = new Semaphore(PINGS_MAX);

  WebhookPing(
      IdempotencyStore store,
      IdempotencyHttp http,
      WebhookTable table,
      WebhookSender sender,
      Transactions transactions) {
    this.store = store;
    this.http = http;
    this.table = table;
    this.sender = sender;
    this.transactions = transactions;
  }

  IdempotentResult ping(IdempotentRouteCall call, long id) {
    var before = store.find(call);
    if (before.isPresent()) {
      return before.get();
    }
    var webhook = table.find(call.caller(), id);
    if (webhook.isEmpty()) {
      return store.once(call, _ -> http.stored(WebhookService.notKnown()));
    }
    var eventId = "ping_" + Digest.hash(call.caller() + '\0' + call.token().value());
    var answer = send(webhook.get(), eventId);
    return store.once(call, _ -> http.stored(HttpStatus.OK, answer));
  }

  private WebhookJson.Pinged send(Webhook webhook, String eventId) {
    if (!permits.tryAcquire()) {
      throw new ProblemException(Problem.overloaded()).with("Retry-After", RETRY_AFTER_SECONDS);
    }
    try {
      var start = System.nanoTime();
      var outcome = sender.ping(webhook, eventId, transactions.read(WebhookPing::now));
      var tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      var id = Long.toString(webhook.id());
      return switch (outcome) {
        case Delivered(var status) ->
            new WebhookJson.Pinged(id, eventId, Outcome.DELIVERED, status, "", tookMs);
        case Failed(var status, var why, _) ->
            new WebhookJson.Pinged(id, eventId, Outcome.FAILED, status, why, tookMs);
        case Gone _ ->
            new WebhookJson.Pinged(id, eventId, Outcome.GONE, 410, "the receiver is gone", tookMs);
      };
    } finally {
      permits.release();
    }
  }

  private static Instant now(Connection connection) throws SQLException {
    try (var select = connection.prepareStatement("SELECT clock_timestamp() AS now");
        var row = select.executeQuery()) {
      row.next();
      return ArrayBinder.moment(row, "now");
    }
  }
}
