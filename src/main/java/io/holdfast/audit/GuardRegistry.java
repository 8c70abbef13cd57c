package io.holdfast.audit;

import io.holdfast.idempotency.DuplicateGuard;
import io.holdfast.idempotency.GuardRules;
import io.holdfast.idempotency.GuardStoreUnavailable;
import io.holdfast.idempotency.http.RequestSettings;
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

/// Reports on all duplicate guards of this instance: those that are beans, and the tokens of holds,
/// which are guarded by their stored results. For diagnosis only.
@Singleton
final class GuardRegistry implements StartupTask {
  private final List<DuplicateGuard> guards;
  private final TokensInWindow tokens;
  private final GuardRules tokenRules;
  private final MeterRegistry meters;

  GuardRegistry(
      List<DuplicateGuard> guards,
      TokensInWindow tokens,
      RequestSettings settings,
      MeterRegistry meters) {
    this.guards = guards;
    this.tokens = tokens;
    this.tokenRules = GuardRules.of("tokens", settings.idempotencyWindow()).beforeCommits();
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
    all.add(GuardReport.Guard.of(tokenRules, tokens.count(), null));
    guards.forEach(guard -> all.add(GuardReport.Guard.of(guard.rules(), guard.count(), guard)));
    return all;
  }

  private List<GuardReport.Entry> entries(String name, int skip, int limit) {
    if (name.equals(tokenRules.name())) {
      return tokens.page(skip, limit);
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
