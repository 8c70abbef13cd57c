package io.holdfast.checkout;

import io.holdfast.checkout.Beginnings.Beginning;
import io.holdfast.checkout.Run.Order;
import io.holdfast.hold.Intents;
import io.holdfast.hold.Intents.Look;
import io.holdfast.payment.Gateways;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.Pool;
import io.holdfast.pool.Price;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.RequestCall;
import io.holdfast.postgres.RequestOutcome;
import io.holdfast.postgres.RequestOutcome.Answer;
import io.holdfast.postgres.RequestResults;
import io.holdfast.postgres.RequestResults.Answered;
import io.holdfast.postgres.Transaction;
import io.holdfast.web.Fields;
import io.holdfast.web.InvalidField;
import io.holdfast.web.OncePerToken;
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
final class CheckoutDesk {
  private static final String DIGITS = "0123456789abcdefghijklmnopqrstuv";

  private final RequestResults results;
  private final OncePerToken once;
  private final Intents intents;
  private final Gateways gateways;
  private final Sagas sagas;
  private final Beginnings beginnings;
  private final CheckoutRunner runner;
  private final Waiters waiters;
  private final CheckoutSettings settings;
  private final SecureRandom random;

  CheckoutDesk(
      RequestResults results,
      OncePerToken once,
      Intents intents,
      Gateways gateways,
      Sagas sagas,
      Beginnings beginnings,
      CheckoutRunner runner,
      Waiters waiters,
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
  RequestOutcome begin(RequestCall call, Map<String, @Nullable Object> body, boolean isAwaited) {
    var begun = new Begin(call, body);
    var outcome = begun.inCompany().orElseGet(() -> results.once(call, begun::in));
    if (outcome instanceof RequestOutcome.Done && begun.run != null) {
      if (isAwaited) {
        waiters.expect(begun.run.id());
      }
      runner.begin(begun.run);
    }
    return outcome;
  }

  /// One call. Redis is asked before the transaction is open.
  private final class Begin {
    private final RequestCall call;
    private final Map<String, @Nullable Object> body;
    private final Optional<Pool> pool;
    private final Look look;
    private @Nullable Run run;

    Begin(RequestCall call, Map<String, @Nullable Object> body) {
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
    Optional<RequestOutcome> inCompany() {
      try {
        var wish = CheckoutWish.read(Fields.of(body));
        if (!(look instanceof Look.Found(var hold)) || refusal(wish) != null || !isOurMoney(wish)) {
          return Optional.empty();
        }
        var planned = planned(wish);
        var answer = answer(planned);
        var beginning = new Beginning(new Answered(call, answer), planned, hold.items());
        run = beginnings.begin(beginning).orElse(null);
        return run == null ? Optional.empty() : Optional.of(new RequestOutcome.Done(answer));
      } catch (InvalidField e) {
        return Optional.empty(); // told under its token
      } catch (PostgresUnavailable e) {
        return Optional.of(new RequestOutcome.Unknown());
      }
    }

    private boolean isOurMoney(CheckoutWish wish) {
      return wish.price().currency().equals(pool.orElseThrow().policy().currency());
    }

    Answer in(Transaction tx) {
      try {
        var wish = CheckoutWish.read(Fields.of(body));
        var refusal = refusal(wish);
        if (refusal == null && look instanceof Look.Found(var hold)) {
          refusal = ofPrice(tx, wish, hold);
        }
        if (refusal != null && hasCheckout(tx, wish)) {
          refusal = CheckoutRefusals.exists();
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
    private boolean hasCheckout(Transaction tx, CheckoutWish wish) throws SQLException {
      return look instanceof Look.Found(var hold)
          && hold.requester().equals(wish.requester())
          && hold.fence().value() == wish.fence()
          && RunRows.hasRun(tx.connection(), hold.id(pool.orElseThrow().name()));
    }

    /// All but the price is known without Postgres.
    private @Nullable Problem refusal(CheckoutWish wish) {
      var gateway = gateways.find(wish.provider());
      if (gateway.isEmpty()) {
        return CheckoutRefusals.unknownProvider(wish.provider());
      }
      if (!gateway.get().accepts(wish.method())) {
        return CheckoutRefusals.unknownMethod(wish.method());
      }
      return switch (look) {
        case Look.Missing() -> CheckoutRefusals.notKnown();
        case Look.Away() -> throw CheckoutRefusals.away();
        case Look.Found(var hold) -> CheckoutRefusals.of(wish, hold, pool.orElseThrow().policy());
      };
    }

    private @Nullable Problem ofPrice(Transaction tx, CheckoutWish wish, HoldRecord hold)
        throws SQLException {
      var asked = pool.orElseThrow();
      var price =
          new Price(ItemPrices.sum(tx, asked.name(), hold.items()), asked.policy().currency());
      return price.equals(wish.price()) ? null : CheckoutRefusals.amountMismatch(price);
    }

    private Answer begun(Transaction tx, CheckoutWish wish) throws SQLException {
      run = RunInsert.insert(tx.connection(), List.of(planned(wish)), settings.lease()).getFirst();
      return run == null ? once.stored(CheckoutRefusals.exists()) : answer(run);
    }

    private Answer answer(Run begun) {
      return once.stored(HttpStatus.ACCEPTED, new Begun(begun.id().toString()));
    }

    private Run planned(CheckoutWish wish) {
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
      return Run.planned(id, sagas.named(CheckoutFactory.CHECKOUT), order);
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
