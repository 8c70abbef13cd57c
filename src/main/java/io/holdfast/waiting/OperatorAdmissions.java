package io.holdfast.waiting;

import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentResult.Collision;
import io.holdfast.idempotency.store.IdempotentResult.Done;
import io.holdfast.idempotency.store.IdempotentResult.Replayed;
import io.holdfast.idempotency.store.IdempotentResult.Unknown;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.pass.Passes;
import io.holdfast.pool.Pool;
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
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What operators do with a waiting room. The answer of a call that admits tickets is stored in the
/// transaction of the admissions, so a repeated call admits nobody else.
@Singleton
final class OperatorAdmissions {
  private static final Logger LOG = LoggerFactory.getLogger(OperatorAdmissions.class);
  private static final int TRIES_MAX = 50;
  private static final String LOST = "LOST";

  private final TicketSweep sweep;
  private final Admitter admitter;
  private final AdmissionTable admissions;
  private final WaitingScripts scripts;
  private final PoolSeeder seeder;
  private final Passes passes;
  private final IdempotencyStore results;
  private final IdempotencyHttp http;

  OperatorAdmissions(
      TicketSweep sweep,
      Admitter admitter,
      AdmissionTable admissions,
      WaitingScripts scripts,
      PoolSeeder seeder,
      Passes passes,
      IdempotencyStore results,
      IdempotencyHttp http) {
    this.sweep = sweep;
    this.admitter = admitter;
    this.admissions = admissions;
    this.scripts = scripts;
    this.seeder = seeder;
    this.passes = passes;
    this.results = results;
    this.http = http;
  }

  IdempotentResult admit(IdempotentRouteCall call, Pool pool, Map<String, @Nullable Object> body) {
    var before = results.find(call);
    if (before.isPresent()) {
      return before.get();
    }
    try {
      var count = AdmissionController.Admit.READER.read(JsonFields.of(body)).count();
      if (pool.policy().waitingRoom() == null) {
        throw new InvalidField(null, "This pool has no waiting room.");
      }
      return admit(call, pool, count);
    } catch (InvalidField e) {
      return results.once(call, _ -> http.stored(e.problem()));
    }
  }

  /// From the answer on, the admissions may be committed, and a failure may be one of the removal
  /// from the queue, which a later run repeats. Only the stored answer tells what was done.
  private IdempotentResult admit(IdempotentRouteCall call, Pool pool, int count) {
    var answer = new StoredAnswer(call);
    try {
      return admit(call, pool, count, answer);
    } catch (TokenUsed e) {
      return stored(call);
    } catch (RedisUnavailable | PostgresUnavailable e) {
      if (answer.isWritten) {
        LOG.info("Pool {}: {}; the answer is the stored one", pool.name(), e.getMessage());
        return stored(call);
      }
      throw e;
    }
  }

  /// Admissions by the policy may overtake a run, so it is repeated with the tickets that are next
  /// then.
  private IdempotentResult admit(
      IdempotentRouteCall call, Pool pool, int count, StoredAnswer answer) {
    for (var attempt = 0; attempt < TRIES_MAX; attempt++) {
      switch (sweepAndAdmit(pool, count, answer)) {
        case Run.Admitted(var admitted, var waiting) -> {
          return new Done(answer(admitted, waiting));
        }
        case Run.Nobody(var waiting, _) -> {
          return results.once(call, _ -> answer(0, waiting));
        }
        case Run.NotOpen() -> ScriptReplies.await(seeder.open(pool, LOST));
        case Run.Overtaken() -> {} // the next attempt reads the queue again
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

  /// Unknown if the answer cannot be read now.
  private IdempotentResult stored(IdempotentRouteCall call) {
    try {
      return results.find(call).orElseGet(Unknown::new);
    } catch (PostgresUnavailable e) {
      return new Unknown();
    }
  }

  private final class StoredAnswer implements Admitter.AdmissionRecorder {
    private final IdempotentRouteCall call;
    private boolean isWritten;

    StoredAnswer(IdempotentRouteCall call) {
      this.call = call;
    }

    @Override
    public void record(Connection connection, int count, long waiting) throws SQLException {
      if (!IdempotencyStore.store(connection, call, answer(count, waiting))) {
        throw new TokenUsed();
      }
      isWritten = true;
    }
  }

  /// A concurrent call under the same token was first.
  private static final class TokenUsed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TokenUsed() {
      super(null, null, false, false);
    }
  }

  private Answer answer(int admitted, long waiting) {
    return http.stored(HttpStatus.OK, new AdmissionController.Admitted(admitted, waiting));
  }

  /// Postgres first: what it has revoked is brought to Redis by a call with the same token, and
  /// with the next seeding.
  IdempotentResult revoke(IdempotentRouteCall call, Pool pool, TicketId ticket) {
    var admission =
        admissions.find(pool.name(), ticket.number()).filter(found -> isOf(ticket, found));
    if (admission.isEmpty()) {
      return results.once(call, _ -> http.stored(unknownTicket()));
    }
    var result =
        results.once(
            call,
            transaction -> {
              revoke(transaction.connection(), ticket);
              var revoked = new AdmissionController.Revoked(ticket.toString());
              return http.stored(HttpStatus.OK, revoked);
            });
    var isLate = isRevoked(result) && !endPass(pool, ticket, admission.get().passUntil());
    return isLate ? new Unknown() : result;
  }

  private static void revoke(Connection connection, TicketId id) {
    try {
      AdmissionTable.revoke(connection, id.pool(), id.number());
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  private static boolean isRevoked(IdempotentResult result) {
    return switch (result) {
      case Done(var answer) -> answer.status() == HttpStatus.OK.getCode();
      case Replayed(var answer) -> answer.status() == HttpStatus.OK.getCode();
      case Collision(), Unknown() -> false;
    };
  }

  /// Returns false if the pass may still be valid in Redis. Opening the pool ends it too.
  private boolean endPass(Pool pool, TicketId ticket, Instant until) {
    try {
      return scripts.revoke(pool.name(), ticket.number(), until.toEpochMilli())
          || ScriptReplies.await(seeder.open(pool, LOST));
    } catch (RedisUnavailable e) {
      return false;
    }
  }

  private boolean isOf(TicketId id, Admission admission) {
    return admission.requester().equals(id.requester()) && passes.isSealed(id, admission.caller());
  }

  static Problem unknownTicket() {
    return Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such admitted ticket.");
  }
}
