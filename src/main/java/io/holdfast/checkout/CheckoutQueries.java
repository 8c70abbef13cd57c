package io.holdfast.checkout;

import io.holdfast.checkout.CheckoutService.StartedJson;
import io.holdfast.checkout.saga.CheckoutId;
import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.CheckoutRunReader;
import io.holdfast.checkout.saga.CheckoutRunReader.Filter;
import io.holdfast.checkout.saga.CheckoutRunReader.Filter.State;
import io.holdfast.checkout.saga.SagaRegistry;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentResult.Collision;
import io.holdfast.idempotency.store.IdempotentResult.Done;
import io.holdfast.idempotency.store.IdempotentResult.Replayed;
import io.holdfast.idempotency.store.IdempotentResult.Unknown;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Transactions;
import io.holdfast.web.InvalidField;
import io.holdfast.web.PageRequest;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.serde.ObjectMapper;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Reads checkouts for responses, at once or after the wait that the caller prefers.
@Singleton
final class CheckoutQueries {
  static final String PREFER = "Prefer";
  private static final String PREFERENCE_APPLIED = "Preference-Applied";

  /// `wait=N` of RFC 7240.
  private static final Pattern WAIT =
      Pattern.compile(
          "(?:^|[,;])\\s*wait\\s*=\\s*\"?(\\d{1,18})\"?\\s*(?:[,;]|$)", Pattern.CASE_INSENSITIVE);

  private static final long WAIT_SECONDS_MAX = 30;

  /// The end of a checkout on another instance is seen by polling. It is rare: that instance must
  /// have taken over the lease.
  private static final Duration POLL = Duration.ofSeconds(1);

  private final Transactions transactions;
  private final SagaRegistry sagas;
  private final CompletionWaiters waiters;
  private final ObjectMapper json;

  CheckoutQueries(
      Transactions transactions, SagaRegistry sagas, CompletionWaiters waiters, ObjectMapper json) {
    this.transactions = transactions;
    this.sagas = sagas;
    this.waiters = waiters;
    this.json = json;
  }

  /// A header that cannot be read is ignored.
  static Duration preferredWait(HttpHeaders headers) {
    return headers.getAll(PREFER).stream()
        .map(WAIT::matcher)
        .filter(Matcher::find)
        .map(matcher -> Long.parseLong(matcher.group(1)))
        .findFirst()
        .map(seconds -> Duration.ofSeconds(Math.min(seconds, WAIT_SECONDS_MAX)))
        .orElse(Duration.ZERO);
  }

  /// A checkout of another caller is not found.
  HttpResponse<?> find(String id, String caller) {
    return CheckoutId.parse(id)
        .flatMap(this::find)
        .filter(run -> run.order().caller().equals(caller))
        .<HttpResponse<?>>map(run -> HttpResponse.ok(json(run)))
        .orElseGet(CheckoutQueries::notKnown);
  }

  /// One page of checkouts.
  HttpResponse<?> page(Listing listing, PageRequest page) {
    var after =
        page.after().isEmpty()
            ? null
            : CheckoutId.parse(page.after()).orElseThrow(PageRequest::notFromLink);
    var filter = filter(listing);
    var runs =
        transactions.read(
            connection -> CheckoutRunReader.page(connection, filter, after, page.limit()));
    var response = HttpResponse.ok(new CheckoutJson.Listed(runs.stream().map(this::json).toList()));
    if (runs.size() == page.limit()) {
      page.next(runs.getLast().id().toString())
          .with("state", listing.state)
          .with("pool", listing.pool)
          .linkTo("/v1/checkouts", response);
    }
    return response;
  }

  /// What a request wants to see, and the caller to whom the list is limited, if it is.
  record Listing(@Nullable String state, @Nullable String pool, @Nullable String caller) {}

  private Filter filter(Listing listing) {
    if (listing.pool != null && !PoolName.isName(listing.pool)) {
      throw InvalidField.of("pool", "is not the name of a pool");
    }
    var reached = listing.state == null ? List.<String>of() : reached(listing.state);
    var state = reached.isEmpty() ? state(listing.state) : State.RUNNING;
    return new Filter(listing.pool, listing.caller, state, reached);
  }

  /// The numbers of steps after which a running saga is in that state.
  private List<String> reached(String state) {
    return sagas.byName().values().stream()
        .flatMap(
            saga ->
                IntStream.range(0, saga.steps().size())
                    .filter(done -> saga.reached(done).equals(state))
                    .mapToObj(done -> saga.name() + ":" + done))
        .toList();
  }

  private static State state(@Nullable String word) {
    return switch (word) {
      case null -> State.ANY;
      case "FULFILLED" -> State.FULFILLED;
      case "COMPENSATING" -> State.COMPENSATING;
      case "COMPENSATED" -> State.COMPENSATED;
      case "STUCK" -> State.STUCK;
      default -> throw InvalidField.of("state", "is not a state of a checkout");
    };
  }

  /// The response to a request to start a checkout. All responses under one token name the same
  /// checkout and show its current state.
  ///
  /// @param otherwise the response if no checkout was started under this token
  HttpResponse<?> response(IdempotentResult result, HttpResponse<?> otherwise, Duration wait) {
    return switch (result) {
      case Done(var answer) when isStarted(answer) -> response(answer, wait, true);
      case Replayed(var answer) when isStarted(answer) ->
          response(answer, wait, false).header(IdempotencyHttp.REPLAYED, "true");
      case Done _, Replayed _, Collision _, Unknown _ -> otherwise;
    };
  }

  CheckoutJson json(CheckoutRun run) {
    return CheckoutJson.of(sagas.named(run.saga()), run);
  }

  static HttpResponse<Problem> notKnown() {
    var problem = Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such checkout.");
    return HttpResponse.<Problem>status(HttpStatus.NOT_FOUND)
        .body(problem)
        .contentType(Problem.MEDIA_TYPE);
  }

  private static boolean isStarted(Answer answer) {
    return answer.status() == HttpStatus.ACCEPTED.getCode();
  }

  /// @param isExpected since its start, so that `waiters` has its end even if it has ended already
  private MutableHttpResponse<?> response(Answer answer, Duration wait, boolean isExpected) {
    var id = CheckoutId.parse(started(answer).checkoutId()).orElseThrow();
    var run = await(id, wait, isExpected);
    var response = response(run, !wait.isZero());
    if (!wait.isZero()) {
      response.header(PREFERENCE_APPLIED, "wait=" + wait.toSeconds());
    }
    return response.header("Location", URI.create("/v1/checkouts/" + id).toString());
  }

  private MutableHttpResponse<?> response(CheckoutRun run, boolean isAwaited) {
    if (!isAwaited || !run.phase().isDecided()) {
      return HttpResponse.accepted().body(json(run));
    }
    return switch (run.phase()) {
      case DONE, REFUNDING -> HttpResponse.ok(json(run));
      case FORWARD, COMPENSATING, COMPENSATED, STUCK ->
          HttpResponse.status(HttpStatus.CONFLICT)
              .body(CheckoutJson.undone(sagas.named(run.saga()), run))
              .contentType(Problem.MEDIA_TYPE);
    };
  }

  private CheckoutRun await(CheckoutId id, Duration wait, boolean isExpected) {
    var since = System.nanoTime();
    var ended =
        isExpected && wait.isPositive()
            ? waiters.await(id, shorter(wait, POLL))
            : Optional.<CheckoutRun>empty();
    while (ended.isEmpty()) {
      var left = wait.minusNanos(System.nanoTime() - since);
      if (!left.isPositive()) {
        return find(id).orElseThrow();
      }
      ended = waiters.await(id, () -> find(id).orElseThrow(), shorter(left, POLL));
    }
    return ended.get();
  }

  private Optional<CheckoutRun> find(CheckoutId id) {
    return transactions.read(connection -> CheckoutRunReader.find(connection, id));
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private StartedJson started(Answer answer) {
    try {
      return json.readValue(answer.body(), StartedJson.class);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
