package io.holdfast.checkout;

import io.holdfast.checkout.CheckoutStartBatch.Start;
import io.holdfast.checkout.saga.CheckoutId;
import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.CheckoutRun.Order;
import io.holdfast.checkout.saga.CheckoutRunReader;
import io.holdfast.checkout.saga.CheckoutRunWriter;
import io.holdfast.checkout.saga.SagaRegistry;
import io.holdfast.commitment.auction.AuctionTable;
import io.holdfast.commitment.authorization.AuthorizationNonces;
import io.holdfast.commitment.sale.ReplayKey;
import io.holdfast.confirm.CheckoutHoldClient;
import io.holdfast.confirm.CheckoutHoldClient.Look;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotencyStore.Answered;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.payment.GatewayRegistry;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.Pool;
import io.holdfast.pool.Price;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transaction;
import io.holdfast.subject.DataSubject;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.Metadata;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;
import jakarta.inject.Singleton;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Starts checkouts. A request that cannot succeed is refused before anything is charged, and only
/// the refusal is stored under its token.
@Singleton
final class CheckoutService {
  private static final String DIGITS = "0123456789abcdefghijklmnopqrstuv";

  private final IdempotencyStore results;
  private final IdempotencyHttp http;
  private final CheckoutHoldClient holds;
  private final GatewayRegistry gateways;
  private final SagaRegistry sagas;
  private final CheckoutStartBatch batch;
  private final CheckoutRunner runner;
  private final CompletionWaiters waiters;
  private final CheckoutSettings settings;
  private final SecureRandom random;

  CheckoutService(
      IdempotencyStore results,
      IdempotencyHttp http,
      CheckoutHoldClient holds,
      GatewayRegistry gateways,
      SagaRegistry sagas,
      CheckoutStartBatch batch,
      CheckoutRunner runner,
      CompletionWaiters waiters,
      CheckoutSettings settings,
      SecureRandom random) {
    this.results = results;
    this.http = http;
    this.holds = holds;
    this.gateways = gateways;
    this.sagas = sagas;
    this.batch = batch;
    this.runner = runner;
    this.waiters = waiters;
    this.settings = settings;
    this.random = random;
  }

  /// The stored answer to a request that started a checkout. Its state is read for each response.
  @Serdeable
  record StartedJson(String checkoutId) {}

  /// A request with the state of its hold, which is read before a transaction is open.
  private record Attempt(
      IdempotentRouteCall call,
      Map<String, @Nullable Object> body,
      Optional<Pool> pool,
      Look hold) {}

  /// @param run null if none was started by this request
  private record Started(IdempotentResult result, @Nullable CheckoutRun run) {}

  /// @param isAwaited whether the caller waits for its end
  IdempotentResult start(
      IdempotentRouteCall call, Map<String, @Nullable Object> body, boolean isAwaited) {
    var attempt = attempt(call, body);
    var started = startInBatch(attempt).orElseGet(() -> startAlone(attempt));
    var run = started.run;
    if (started.result instanceof IdempotentResult.Done && run != null) {
      if (isAwaited) {
        waiters.expect(run.id());
      }
      runner.start(run);
    }
    return started.result;
  }

  private Attempt attempt(IdempotentRouteCall call, Map<String, @Nullable Object> body) {
    var id =
        body.get("holdId") instanceof String text ? HoldId.parse(text) : Optional.<HoldId>empty();
    var pool = id.flatMap(hold -> holds.pool(hold.pool()));
    var hold =
        pool.<Look>map(known -> holds.look(known, id.orElseThrow(), call.caller()))
            .orElseGet(Look.Missing::new);
    return new Attempt(holds.ofSale(call, id), body, pool, hold);
  }

  /// The normal case: nothing to refuse. Empty if something is, or if the batch could not start it;
  /// nothing is written then.
  private Optional<Started> startInBatch(Attempt attempt) {
    try {
      var request = CheckoutRequest.read(JsonFields.of(attempt.body));
      if (!(attempt.hold instanceof Look.Found(var hold))
          || refusal(attempt, request) != null
          || hold.bid() != null // its price is not that of its items
          || request.nonce() != null // is looked up
          || !hasCurrencyOfPool(attempt, request)) {
        return Optional.empty();
      }
      var planned = plan(attempt, request);
      var answer = answer(planned);
      return batch
          .start(new Start(new Answered(attempt.call, answer), planned, hold.items()))
          .map(run -> new Started(new IdempotentResult.Done(answer), run));
    } catch (InvalidField e) {
      return Optional.empty(); // startAlone stores the refusal
    } catch (PostgresUnavailable e) {
      return Optional.of(new Started(new IdempotentResult.Unknown(), null));
    }
  }

  /// Finds out in one transaction what is wrong, or starts the checkout.
  private Started startAlone(Attempt attempt) {
    var run = new AtomicReference<@Nullable CheckoutRun>();
    var result = results.once(attempt.call, tx -> startOrRefuse(tx, attempt, run));
    return new Started(result, run.get());
  }

  private Answer startOrRefuse(
      Transaction tx, Attempt attempt, AtomicReference<@Nullable CheckoutRun> started) {
    try {
      var request = CheckoutRequest.read(JsonFields.of(attempt.body));
      if (attempt.hold instanceof Look.Found(var hold) && hold.bid() != null) {
        request.refuseKeysOfSale();
      }
      var refusal = refusal(attempt, request);
      var nonce = nonceRefusal(tx, attempt, request, refusal);
      if (nonce != null) {
        return http.stored(nonce);
      }
      if (refusal == null && attempt.hold instanceof Look.Found(var hold)) {
        refusal = priceRefusal(tx, attempt, request, hold);
      }
      if (refusal != null) {
        return http.stored(hasCheckout(tx, attempt, request) ? CheckoutProblems.exists() : refusal);
      }
      var runs = List.of(plan(attempt, request));
      var run = CheckoutRunWriter.insert(tx.connection(), runs, settings.lease()).getFirst();
      started.set(run);
      return run == null ? http.stored(CheckoutProblems.exists()) : answer(run);
    } catch (InvalidField e) {
      return http.stored(e.problem());
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  /// All refusals that need no Postgres.
  private @Nullable Problem refusal(Attempt attempt, CheckoutRequest request) {
    var gateway = gateways.find(request.provider());
    if (gateway.isEmpty()) {
      return CheckoutProblems.unknownProvider(request.provider());
    }
    if (!gateway.get().accepts(request.method())) {
      return CheckoutProblems.unknownMethod(request.method());
    }
    return switch (attempt.hold) {
      case Look.Missing() -> CheckoutProblems.notKnown();
      case Look.Away() -> throw CheckoutProblems.away();
      case Look.Found(var hold) ->
          CheckoutProblems.of(request, hold, attempt.pool.orElseThrow().policy());
    };
  }

  /// A nonce that was used is refused before a conflict with the state of the hold. The sale looks
  /// at the nonce again and consumes it.
  private static @Nullable Problem nonceRefusal(
      Transaction tx, Attempt attempt, CheckoutRequest request, @Nullable Problem refusal) {
    if (request.nonce() == null
        || !(attempt.hold instanceof Look.Found(var hold))
        || refusal != null && refusal.status() != HttpStatus.CONFLICT.getCode()) {
      return null;
    }
    var id = hold.id(attempt.pool.orElseThrow().name());
    var hash = AuthorizationNonces.hash(request.nonce());
    return switch (AuthorizationNonces.look(tx.connection(), id, ReplayKey.OPERATION, hash)) {
      case CONSUMED -> CheckoutProblems.nonceConsumed();
      case UNBOUND -> refusal == null ? CheckoutProblems.nonceUnbound() : null;
      case ALLOWED -> null;
    };
  }

  private static boolean hasCurrencyOfPool(Attempt attempt, CheckoutRequest request) {
    return request.price().currency().equals(attempt.pool.orElseThrow().policy().currency());
  }

  private static @Nullable Problem priceRefusal(
      Transaction tx, Attempt attempt, CheckoutRequest request, HoldRecord hold)
      throws SQLException {
    var pool = attempt.pool.orElseThrow();
    var bid = hold.bid();
    var buyer = new DataSubject(attempt.call.caller(), hold.requester());
    if (bid != null && !AuctionTable.lockSaleTo(tx.connection(), hold.id(pool.name()), buyer)) {
      return CheckoutProblems.notHeld();
    }
    var cents =
        bid == null
            ? CheckoutStartBatch.priceCents(tx, pool.name(), hold.items())
            : bid.amountCents();
    var price = new Price(cents, pool.policy().currency());
    return price.equals(request.price()) ? null : CheckoutProblems.amountMismatch(price);
  }

  /// A caller that lost the answer learns that there is a checkout, and not that the hold has
  /// ended, which that checkout may have caused.
  private static boolean hasCheckout(Transaction tx, Attempt attempt, CheckoutRequest request)
      throws SQLException {
    return attempt.hold instanceof Look.Found(var hold)
        && hold.requester().equals(request.requester())
        && hold.fence().value() == request.fence()
        && CheckoutRunReader.hasRun(tx.connection(), hold.id(attempt.pool.orElseThrow().name()));
  }

  private Answer answer(CheckoutRun run) {
    return http.stored(HttpStatus.ACCEPTED, new StartedJson(run.id().toString()));
  }

  private CheckoutRun plan(Attempt attempt, CheckoutRequest request) {
    var id = new CheckoutId(attempt.pool.orElseThrow().name(), randomCode());
    var order =
        new Order(
            attempt.call.caller(),
            request.requester(),
            request.holdId(),
            request.fence(),
            request.provider(),
            request.method(),
            request.price(),
            Metadata.format(request.metadata()),
            request.logicalKey(),
            AuthorizationNonces.hashText(request.nonce()));
    var isBid = attempt.hold instanceof Look.Found(var hold) && hold.bid() != null;
    var saga = isBid ? CheckoutFactory.AUCTION : CheckoutFactory.CHECKOUT;
    return CheckoutRun.planned(id, sagas.named(saga), order);
  }

  private String randomCode() {
    var bytes = new byte[CheckoutId.CODE_LENGTH];
    random.nextBytes(bytes);
    var code = new StringBuilder(bytes.length);
    for (var b : bytes) {
      code.append(DIGITS.charAt(b & 31));
    }
    return code.toString();
  }
}
