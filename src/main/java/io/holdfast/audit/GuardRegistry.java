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

/// All that guards against duplicates here: the tokens, whose guard is the entry of each, and the
/// guards that are told by name. For those who look for faults; nothing is decided by it.
@Singleton
final class GuardRegistry implements StartupTask {
  private final List<DuplicateGuard> guards;
  private final TokensInWindow tokens;
  private final GuardRules ofTokens;
  private final MeterRegistry meters;

  GuardRegistry(
      List<DuplicateGuard> guards,
      TokensInWindow tokens,
      RequestSettings settings,
      MeterRegistry meters) {
    this.guards = guards;
    this.tokens = tokens;
    this.ofTokens = GuardRules.of("tokens", settings.idempotencyWindow()).beforeCommits();
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
  GuardReport look(@Nullable String name, int skip, int limit) {
    var chosen = name == null ? ofTokens.name() : name;
    try {
      return new GuardReport(all(), chosen, recorded(chosen, skip, limit));
    } catch (GuardStoreUnavailable e) {
      throw new ProblemException(Problem.unavailable(true, "A guard cannot reach its store now."))
          .with(HttpHeaders.RETRY_AFTER, "1");
    }
  }

  private List<GuardReport.Guard> all() {
    var all = new ArrayList<GuardReport.Guard>();
    all.add(GuardReport.Guard.of(ofTokens, tokens.count(), null));
    guards.forEach(guard -> all.add(GuardReport.Guard.of(guard.rules(), guard.count(), guard)));
    return all;
  }

  private List<GuardReport.Entry> recorded(String name, int skip, int limit) {
    if (name.equals(ofTokens.name())) {
      return tokens.underGuard(skip, limit);
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
