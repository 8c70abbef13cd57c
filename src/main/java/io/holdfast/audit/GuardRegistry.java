package io.holdfast.audit;

import io.holdfast.idempotency.guard.DuplicateGuard;
import io.holdfast.idempotency.guard.GuardRules;
import io.holdfast.idempotency.guard.GuardStoreUnavailable;
import io.holdfast.idempotency.http.RequestSettings;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolPolicy;
import io.holdfast.runtime.StartupTask;
import io.holdfast.web.InvalidField;
import io.holdfast.web.Problem;
import io.holdfast.web.ProblemException;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micronaut.http.HttpHeaders;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reports on all duplicate guards of this instance, and on the two tables of tokens. A token is
/// guarded by its stored result and not by a duplicate guard. For diagnosis only.
@Singleton
final class GuardRegistry implements StartupTask {
  private static final PoolPolicy POOL = PoolPolicy.of(PoolKind.SEATS);

  private final List<DuplicateGuard> guards;
  private final TokensInWindow tokens;
  private final GuardRules tokenRules;
  private final GuardRules requestRules;
  private final MeterRegistry meters;

  GuardRegistry(
      List<DuplicateGuard> guards,
      TokensInWindow tokens,
      RequestSettings settings,
      MeterRegistry meters) {
    this.guards = guards;
    this.tokens = tokens;
    this.tokenRules = GuardRules.of("tokens", POOL.idempotencyWindow()).beforeCommits();
    this.requestRules = GuardRules.of("requests", settings.idempotencyWindow()).beforeCommits();
    this.meters = meters;
  }

  @Override
  public void atStart() {
    for (var guard : guards) {
      FunctionCounter.builder("holdfast.guard.misses", guard, DuplicateGuard::misses)
          .description("Records that the store of a guard may have missed")
          .tag("guard", guard.rules().name())
          .register(meters);
      FunctionCounter.builder("holdfast.guard.blind.checks", guard, DuplicateGuard::blindChecks)
          .description("Checks that a guard answered without its store")
          .tag("guard", guard.rules().name())
          .register(meters);
    }
  }

  /// @param name null for the tokens
  GuardReport report(@Nullable String name, int skip, int limit) {
    var chosen = name == null ? tokenRules.name() : name;
    try {
      return new GuardReport(guards(), chosen, entries(chosen, skip, limit));
    } catch (GuardStoreUnavailable e) {
      throw new ProblemException(Problem.unavailable(true, "The store of a guard is unavailable."))
          .with(HttpHeaders.RETRY_AFTER, "1");
    }
  }

  private List<GuardReport.Guard> guards() {
    var all = new ArrayList<GuardReport.Guard>();
    var sales = POOL.commitWindow();
    all.add(GuardReport.Guard.ofTable(tokenRules, sales, "token_result", tokens.count()));
    all.add(
        GuardReport.Guard.ofTable(requestRules, sales, "request_result", tokens.countOfRequests()));
    guards.forEach(guard -> all.add(GuardReport.Guard.of(guard)));
    return all;
  }

  private List<GuardReport.Entry> entries(String name, int skip, int limit) {
    if (name.equals(tokenRules.name())) {
      return tokens.page(skip, limit);
    }
    if (name.equals(requestRules.name())) {
      return tokens.pageOfRequests(skip, limit);
    }
    for (var guard : guards) {
      if (guard.rules().name().equals(name)) {
        return guard.underGuard(skip, limit).stream()
            .map(found -> GuardReport.Entry.of(found, guard.rules().window()))
            .toList();
      }
    }
    throw new InvalidField("guard", "There is no guard of that name.");
  }
}
