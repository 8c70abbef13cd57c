package io.holdfast.checkout;

import io.holdfast.checkout.CheckoutStartBatch.Beginning;
import io.holdfast.checkout.saga.CheckoutId;
import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.CheckoutRun.Order;
import io.holdfast.checkout.saga.CheckoutRunInsert;
import io.holdfast.checkout.saga.CheckoutRunReader;
import io.holdfast.checkout.saga.SagaRegistry;
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
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;
import jakarta.inject.Singleton;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Where checkouts begin. What is wrong with one is told before anything is charged, and nothing is
/// written then but that answer under its token.
@Singleton
final class CheckoutService {
  private static final String DIGITS = "0123456789abcdefghijklmnopqrstuv";

  private final IdempotencyStore results;
  private final IdempotencyHttp once;
  private final CheckoutHoldClient intents;
  private final GatewayRegistry gateways;
  private final SagaRegistry sagas;
  private final CheckoutStartBatch beginnings;
  private final CheckoutRunner runner;
  private final CompletionWaiters waiters;
  private final CheckoutSettings settings;
  private final SecureRandom random;

  CheckoutService(
      IdempotencyStore results,
      IdempotencyHttp once,
      CheckoutHoldClient intents,
      GatewayRegistry gateways,
      SagaRegistry sagas,
      CheckoutStartBatch beginnings,
      CheckoutRunner runner,
      CompletionWaiters waiters,
      CheckoutSettings settings,
      SecureRandom random) {
    this.results = results;
    this.once = once;
    this.intents = intents;
    this.gateways = gateways;
    this.sagas = sagas;
    this.beginnings = beginnings;
    this.runner = runner;
    this.waiters = waiters;
    this.settings = settings;
    this.random = random;
  }

  /// What is stored of a checkout that has begun; how it stands is shown when it is asked for.
  @Serdeable
  record Begun(String checkoutId) {}

  /// @param isAwaited whether somebody waits for its end
  IdempotentResult begin(
      IdempotentRouteCall call, Map<String, @Nullable Object> body, boolean isAwaited) {
    var begun = new Begin(call, body);
    var outcome = begun.inCompany().orElseGet(() -> results.once(call, begun::in));
    if (outcome instanceof IdempotentResult.Done && begun.run != null) {
      if (isAwaited) {
        waiters.expect(begun.run.id());
      }
      runner.begin(begun.run);
    }
    return outcome;
  }

  /// One call. Redis is asked before the transaction is open.
  private final class Begin {
    private final IdempotentRouteCall call;
    private final Map<String, @Nullable Object> body;
    private final Optional<Pool> pool;
    private final Look look;
    private @Nullable CheckoutRun run;

    Begin(IdempotentRouteCall call, Map<String, @Nullable Object> body) {
      this.call = call;
      this.body = body;
      var hold =
          body.get("holdId") instanceof String text ? HoldId.parse(text) : Optional.<HoldId>empty();
      this.pool = hold.flatMap(id -> intents.pool(id.pool()));
      this.look =
          pool.<Look>map(known -> intents.look(known, hold.orElseThrow(), call.caller()))
              .orElseGet(Look.Missing::new);
    }

    /// Empty if there is something to refuse; nothing was written then.
    Optional<IdempotentResult> inCompany() {
      try {
        var wish = CheckoutRequest.read(JsonFields.of(body));
        if (!(look instanceof Look.Found(var hold)) || refusal(wish) != null || !isOurMoney(wish)) {
          return Optional.empty();
        }
        var planned = planned(wish);
        var answer = answer(planned);
        var beginning = new Beginning(new Answered(call, answer), planned, hold.items());
        run = beginnings.begin(beginning).orElse(null);
        return run == null ? Optional.empty() : Optional.of(new IdempotentResult.Done(answer));
      } catch (InvalidField e) {
        return Optional.empty(); // told under its token
      } catch (PostgresUnavailable e) {
        return Optional.of(new IdempotentResult.Unknown());
      }
    }

    private boolean isOurMoney(CheckoutRequest wish) {
      return wish.price().currency().equals(pool.orElseThrow().policy().currency());
    }

    Answer in(Transaction tx) {
      try {
        var wish = CheckoutRequest.read(JsonFields.of(body));
        var refusal = refusal(wish);
        if (refusal == null && look instanceof Look.Found(var hold)) {
          refusal = ofPrice(tx, wish, hold);
        }
        if (refusal != null && hasCheckout(tx, wish)) {
          refusal = CheckoutProblems.exists();
        }
        return refusal == null ? begun(tx, wish) : once.stored(refusal);
      } catch (InvalidField e) {
        return once.stored(e.problem());
      } catch (SQLException e) {
        throw PostgresUnavailable.nothingChanged(e);
      }
    }

    /// Whoever has forgotten what became of its checkout is told that there was one, and not that
    /// the hold has ended, which that checkout may have done.
    private boolean hasCheckout(Transaction tx, CheckoutRequest wish) throws SQLException {
      return look instanceof Look.Found(var hold)
          && hold.requester().equals(wish.requester())
          && hold.fence().value() == wish.fence()
          && CheckoutRunReader.hasRun(tx.connection(), hold.id(pool.orElseThrow().name()));
    }

    /// All but the price is known without Postgres.
    private @Nullable Problem refusal(CheckoutRequest wish) {
      var gateway = gateways.find(wish.provider());
      if (gateway.isEmpty()) {
        return CheckoutProblems.unknownProvider(wish.provider());
      }
      if (!gateway.get().accepts(wish.method())) {
        return CheckoutProblems.unknownMethod(wish.method());
      }
      return switch (look) {
        case Look.Missing() -> CheckoutProblems.notKnown();
        case Look.Away() -> throw CheckoutProblems.away();
        case Look.Found(var hold) -> CheckoutProblems.of(wish, hold, pool.orElseThrow().policy());
      };
    }

    private @Nullable Problem ofPrice(Transaction tx, CheckoutRequest wish, HoldRecord hold)
        throws SQLException {
      var asked = pool.orElseThrow();
      var price =
          new Price(ItemPrices.sum(tx, asked.name(), hold.items()), asked.policy().currency());
      return price.equals(wish.price()) ? null : CheckoutProblems.amountMismatch(price);
    }

    private Answer begun(Transaction tx, CheckoutRequest wish) throws SQLException {
      run =
          CheckoutRunInsert.insert(tx.connection(), List.of(planned(wish)), settings.lease())
              .getFirst();
      return run == null ? once.stored(CheckoutProblems.exists()) : answer(run);
    }

    private Answer answer(CheckoutRun begun) {
      return once.stored(HttpStatus.ACCEPTED, new Begun(begun.id().toString()));
    }

    private CheckoutRun planned(CheckoutRequest wish) {
      var id = new CheckoutId(pool.orElseThrow().name(), code());
      var order =
          new Order(
              call.caller(),
              wish.requester(),
              wish.holdId(),
              wish.fence(),
              wish.provider(),
              wish.method(),
              wish.price());
      return CheckoutRun.planned(id, sagas.named(CheckoutFactory.CHECKOUT), order);
    }
  }

  private String code() {
    var bytes = new byte[CheckoutId.CODE_LENGTH];
    random.nextBytes(bytes);
    var code = new StringBuilder(bytes.length);
    for (var b : bytes) {
      code.append(DIGITS.charAt(b & 31));
    }
    return code.toString();
  }
}
