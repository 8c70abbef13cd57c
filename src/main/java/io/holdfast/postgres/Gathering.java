package io.holdfast.postgres;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Does in one transaction what many ask for at the same time. Nobody waits for company: a host
/// takes whatever is there, so that parties grow by themselves while others are under way. Who is
/// in the way of the others, and everybody if their transaction fails, is left to do it alone.
///
/// @param <Q> what is asked for
/// @param <A> what comes of it
public final class Gathering<Q, A> {
  private static final Logger LOG = LoggerFactory.getLogger(Gathering.class);

  private final String name;
  private final int most;
  private final Together<Q, A> together;
  private final Semaphore hosts;
  private final ConcurrentLinkedQueue<Guest<Q, A>> queue = new ConcurrentLinkedQueue<>();

  /// Called with one or more questions.
  @FunctionalInterface
  public interface Together<Q, A> {
    /// An answer for each, in their order; null for who has to do it alone, for whom nothing was
    /// done. Nothing was done for anybody if it throws, but for a `PostgresUnavailable` that says
    /// otherwise: everybody is told that.
    List<@Nullable A> answers(List<Q> questions);
  }

  private record Guest<Q, A>(Q question, CompletableFuture<Optional<A>> answer) {}

  /// @param hosts how many transactions are under way at a time
  /// @param most how many questions go together at most
  public Gathering(String name, int hosts, int most, Together<Q, A> together) {
    this.name = name;
    this.most = most;
    this.together = together;
    this.hosts = new Semaphore(hosts);
  }

  /// Empty if it has to be done alone. Waits for its answer.
  public Optional<A> join(Q question) {
    var guest = new Guest<Q, A>(question, new CompletableFuture<>());
    queue.add(guest);
    invite();
    try {
      return guest.answer.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException why ? why : e;
    }
  }

  private void invite() {
    if (hosts.tryAcquire()) {
      Thread.ofVirtual().name(name).start(this::host);
    }
  }

  /// Whoever comes between the last look at the queue and the end of a host is seen by the look
  /// behind that end.
  private void host() {
    try {
      for (var party = party(); !party.isEmpty(); party = party()) {
        serve(party);
      }
    } finally { // also behind one that has died
      hosts.release();
      if (!queue.isEmpty()) {
        invite();
      }
    }
  }

  private List<Guest<Q, A>> party() {
    var party = new ArrayList<Guest<Q, A>>();
    while (party.size() < most && queue.poll() instanceof Guest<Q, A> guest) {
      party.add(guest);
    }
    return party;
  }

  private void serve(List<Guest<Q, A>> party) {
    try {
      var answers = together.answers(party.stream().map(Guest::question).toList());
      for (var i = 0; i < party.size(); i++) {
        party.get(i).answer.complete(Optional.ofNullable(answers.get(i)));
      }
    } catch (PostgresUnavailable e) {
      party.forEach(guest -> leave(guest, e));
    } catch (RuntimeException e) {
      LOG.warn("{}: {} have to do it alone", name, party.size(), e);
      party.forEach(guest -> guest.answer.complete(Optional.empty()));
    } finally { // whatever happened, nobody waits for ever
      var unforeseen = new IllegalStateException(name + " ended in a way that nobody foresaw");
      party.forEach(guest -> guest.answer.completeExceptionally(unforeseen));
    }
  }

  /// What may have happened must not be done again by who does not know it.
  private static <Q, A> void leave(Guest<Q, A> guest, PostgresUnavailable why) {
    if (why.isDefinite()) {
      guest.answer.complete(Optional.empty());
    } else {
      guest.answer.completeExceptionally(why);
    }
  }
}
