package io.holdfast.waiting;

import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotencyStore.Answered;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentResult.Done;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.pass.Passes;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.TicketId;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.seeding.PoolSeeder;
import io.holdfast.seeding.ScriptReplies;
import io.holdfast.waiting.AdmissionTable.Admission;
import io.holdfast.waiting.Admitter.Run;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpStatus;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What operators do with a waiting room. The answer of a call that admits tickets is stored in the
/// transaction of the admissions, so a repeated call admits nobody else.
@Singleton
final class OperatorAdmissions {
  private static final int TRIES_MAX = 50;
  private static final String LOST = "LOST";

  private final TicketSweep sweep;
  private final Admitter admitter;
  private final AdmissionTable admissions;
  private final WaitingScripts scripts;
  private final PoolRegistry pools;
  private final PoolSeeder seeder;
  private final Passes passes;
  private final IdempotencyStore results;
  private final IdempotencyHttp http;

  OperatorAdmissions(
      TicketSweep sweep,
      Admitter admitter,
      AdmissionTable admissions,
      WaitingScripts scripts,
      PoolRegistry pools,
      PoolSeeder seeder,
      Passes passes,
      IdempotencyStore results,
      IdempotencyHttp http) {
    this.sweep = sweep;
    this.admitter = admitter;
    this.admissions = admissions;
    this.scripts = scripts;
    this.pools = pools;
    this.seeder = seeder;
    this.passes = passes;
    this.results = results;
    this.http = http;
  }

  IdempotentResult admit(
      IdempotentRouteCall call, String name, Map<String, @Nullable Object> body) {
    var before = results.find(call);
    if (before.isPresent()) {
      return before.get();
    }
    var pool = PoolName.isName(name) ? pools.find(new PoolName(name)) : Optional.<Pool>empty();
    if (pool.isEmpty()) {
      return results.once(call, _ -> http.stored(unknown("There is no such pool.")));
    }
    try {
      var count = AdmissionController.Admit.READER.read(JsonFields.of(body)).count();
      if (pool.get().policy().waitingRoom() == null) {
        throw new InvalidField(null, "This pool has no waiting room.");
      }
      return admit(call, pool.get(), count);
    } catch (InvalidField e) {
      return results.once(call, _ -> http.stored(e.problem()));
    }
  }

  /// Admissions by the policy may overtake a run, so it is repeated with the tickets that are next
  /// then.
  private IdempotentResult admit(IdempotentRouteCall call, Pool pool, int count) {
    for (var attempt = 0; attempt < TRIES_MAX; attempt++) {
      try {
        switch (sweepAndAdmit(pool, count, new StoredAnswer(call))) {
          case Run.Admitted(var admitted, var waiting) -> {
            return new Done(answer(admitted, waiting));
          }
          case Run.Nobody(var waiting, _) -> {
            return results.once(call, _ -> answer(0, waiting));
          }
          case Run.NotOpen() -> ScriptReplies.await(seeder.open(pool, LOST));
          case Run.Overtaken() -> {} // the next attempt reads the queue again
        }
      } catch (TokenUsed e) {
        return results.once(call, _ -> answer(0, 0)); // replays the answer of the other call
      } catch (RedisUnavailable e) {
        return afterLoss(call, e);
      }
    }
    throw notNow("other admissions came first");
  }

  private Run sweepAndAdmit(Pool pool, int count, StoredAnswer answer) {
    return switch (sweep.sweep(pool.name())) {
      case ALL -> admitter.admitAtOnce(pool, count, answer);
      case SOME -> throw notNow("too many tickets are overdue, which end first");
      case NOT_OPEN -> new Run.NotOpen();
    };
  }

  private static RedisUnavailable notNow(String why) {
    return RedisUnavailable.notSent(new IllegalStateException(why));
  }

  /// Redis may be lost before the admissions, or after them: the removal from the queue is repeated
  /// by the next run then.
  private IdempotentResult afterLoss(IdempotentRouteCall call, RedisUnavailable lost) {
    return results.find(call).orElseThrow(() -> lost);
  }

  private final class StoredAnswer implements Admitter.Witness {
    private final IdempotentRouteCall call;

    StoredAnswer(IdempotentRouteCall call) {
      this.call = call;
    }

    @Override
    public void record(Connection connection, int count, long waiting) throws SQLException {
      var answered = List.of(new Answered(call, answer(count, waiting)));
      if (IdempotencyStore.insertAnswered(connection, answered) == 0) {
        throw new TokenUsed();
      }
    }
  }

  /// A concurrent call under the same token has committed first.
  private static final class TokenUsed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TokenUsed() {
      super(null, null, false, false);
    }
  }

  private Answer answer(int admitted, long waiting) {
    return http.stored(HttpStatus.OK, new AdmissionController.Admitted(admitted, waiting));
  }

  /// Postgres first: what it has revoked is brought to Redis again with the next seeding.
  IdempotentResult revoke(IdempotentRouteCall call, String ticket) {
    var id = TicketId.parse(ticket);
    var admission = id.flatMap(each -> admissions.find(each.pool(), each.number()));
    if (id.isEmpty() || admission.isEmpty() || !isOf(id.get(), admission.get())) {
      return results.once(call, _ -> http.stored(unknown("There is no such admitted ticket.")));
    }
    var result =
        results.once(
            call,
            transaction -> {
              revoke(transaction.connection(), id.get());
              return http.stored(HttpStatus.OK, new AdmissionController.Revoked(ticket));
            });
    scripts.revoke(id.get().pool(), id.get().number(), admission.get().passUntil().toEpochMilli());
    return result;
  }

  private static void revoke(Connection connection, TicketId id) {
    try {
      AdmissionTable.revoke(connection, id.pool(), id.number());
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  private boolean isOf(TicketId id, Admission admission) {
    return admission.requester().equals(id.requester()) && passes.isSealed(id, admission.caller());
  }

  private static Problem unknown(String detail) {
    return Problem.refused(HttpStatus.NOT_FOUND, "not-known", detail);
  }
}
