package io.holdfast.waiting;

import io.holdfast.commitment.EpochCheck;
import io.holdfast.commitment.sequence.SequenceProcessor;
import io.holdfast.commitment.sequence.SequenceProcessor.Processed;
import io.holdfast.commitment.sequence.SequenceProcessor.Processed.Committed;
import io.holdfast.commitment.sequence.SequencedWork;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.WaitingRoom;
import io.holdfast.postgres.PostgresClock;
import io.holdfast.waiting.WaitingReplies.Head;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Admits the first tickets of a queue. Any instance may do so at any time: `SequenceProcessor`
/// lets one of several at once go through. A run is limited by what is free, less the requesters
/// who were admitted and have no hold so far.
@Singleton
final class Admitter {
  static final int ADMISSIONS_MAX = 500;

  private static final Duration MINUTE = Duration.ofMinutes(1);

  /// Admissions by time come in bursts of this time at most.
  private static final int BURSTS_A_MINUTE = 6;

  /// The rate does not stop admissions. Other limits may end at any moment.
  private static final Duration NOT_BY_RATE = ChronoUnit.FOREVER.getDuration();

  private final WaitingScripts scripts;
  private final AdmissionTable admissions;
  private final SequenceProcessor processor;
  private final Raffle raffle;
  private final PostgresClock clock;
  private final Counter admitted;

  Admitter(
      WaitingScripts scripts,
      AdmissionTable admissions,
      SequenceProcessor processor,
      Raffle raffle,
      PostgresClock clock,
      MeterRegistry meters) {
    this.scripts = scripts;
    this.admissions = admissions;
    this.processor = processor;
    this.raffle = raffle;
    this.clock = clock;
    this.admitted =
        Counter.builder("holdfast.admissions")
            .description("Tickets of waiting rooms that were admitted")
            .register(meters);
  }

  /// Takes part in the transaction of the admissions.
  interface AdmissionRecorder {
    /// @param count tickets that are admitted
    /// @param waiting tickets that wait behind them
    void record(Connection connection, int count, long waiting) throws SQLException;
  }

  /// The result of one run.
  sealed interface Run {
    /// @param count at least one
    /// @param waiting tickets that wait after the run
    record Admitted(int count, long waiting) implements Run {}

    /// Nobody waits, or nobody may be admitted now.
    ///
    /// @param rest the time before which the rate allows nobody; otherwise `NOT_BY_RATE`
    record Nobody(long waiting, Duration rest) implements Run {}

    /// Another run has admitted these tickets, meanwhile or before. Nobody was admitted here.
    record Overtaken() implements Run {}

    record NotOpen() implements Run {}
  }

  /// Whether the policy may allow admissions at these counts. It depends on the time too.
  static boolean mayAdmit(Pool pool, Head counts) {
    var room = WaitingScripts.room(pool);
    return room.isAutomatic() && allowed(pool, counts, head -> byInside(room, head)) > 0;
  }

  /// Admits what the policy allows now.
  ///
  /// @param counts read without tickets
  Run admitByPolicy(Pool pool, Head counts) {
    var room = WaitingScripts.room(pool);
    var budget = budget(room);
    var recent = admissions.recent(pool.name(), window(room, budget));
    var byTime = budget == 0 ? Long.MAX_VALUE : budget - recent.admissions();
    if (!raffle.isOver(pool, recent.now(), counts.now())) {
      return new Run.Nobody(counts.waiting(), NOT_BY_RATE);
    }
    if (byTime <= 0) {
      return new Run.Nobody(counts.waiting(), recent.rest());
    }
    Limit limit = head -> Math.min(byInside(room, head), byTime);
    var most = Math.clamp(allowed(pool, counts, limit), 0, ADMISSIONS_MAX);
    return admit(pool, most, limit, recent.now(), null);
  }

  /// Admits for an operator, whatever the rate is and however many are inside.
  Run admitAtOnce(Pool pool, int count, AdmissionRecorder recorder) {
    return admit(pool, count, _ -> count, clock.now(), recorder);
  }

  /// Measures the pace for estimates, and clears the queue.
  void measurePaceAndClear(Pool pool) {
    scripts.pace(pool.name(), admissions.pace(pool.name()).orElse(null));
    clear(pool);
  }

  private interface Limit {
    long of(Head head);
  }

  /// @param most tickets that are read
  private Run admit(
      Pool pool, int most, Limit limit, Instant now, @Nullable AdmissionRecorder recorder) {
    var head = scripts.head(pool.name(), most);
    if (head == null) {
      return new Run.NotOpen();
    }
    var isOpen = raffle.isOver(pool, now, head.now());
    var count = isOpen ? Math.min(allowed(pool, head, limit), most) : 0;
    if (count <= 0 || head.tickets().isEmpty()) {
      return new Run.Nobody(head.waiting(), NOT_BY_RATE);
    }
    var committed = processor.committedSequence(pool.name());
    var queue = new AdmissionQueue(pool, head, scripts, admissions, committed);
    return switch (process(pool, queue, new Work(pool, head, recorder), (int) count)) {
      case Committed(var done) when done > 0 -> new Run.Admitted(done, head.waiting() - done);
      case Committed _, Processed.Overtaken() -> {
        clear(pool);
        yield new Run.Overtaken();
      }
    };
  }

  /// What the limit and the free items allow.
  private static long allowed(Pool pool, Head head, Limit limit) {
    var free = Objects.requireNonNull(head.counts().free(pool)) - head.choosing();
    return Math.min(limit.of(head), free);
  }

  /// Removes the tickets from the queue that an earlier run has admitted but not removed.
  private void clear(Pool pool) {
    var committed = processor.committedSequence(pool.name());
    var first = scripts.head(pool.name(), 1);
    if (first == null || committedTickets(first, committed) == 0) {
      return;
    }
    var head = Objects.requireNonNullElse(scripts.head(pool.name(), ADMISSIONS_MAX), first);
    var queue = new AdmissionQueue(pool, head, scripts, admissions, committed);
    process(pool, queue, new Work(pool, head, null), committedTickets(head, committed));
  }

  private static int committedTickets(Head head, long committed) {
    return (int) head.tickets().stream().filter(each -> each.sequence() <= committed).count();
  }

  private Processed process(Pool pool, AdmissionQueue queue, Work work, int count) {
    try {
      var processed = processor.process(pool.name(), queue, work, count);
      if (processed instanceof Committed(var done)) {
        admitted.increment(done);
      }
      return processed;
    } catch (OldEpoch e) {
      return new Processed.Overtaken();
    }
  }

  /// Redis was lost since the head of the queue was read. Nothing was written.
  private static final class OldEpoch extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OldEpoch() {
      super(null, null, false, false);
    }
  }

  private static long byInside(WaitingRoom room, Head head) {
    return room.maxInside() == 0 ? Long.MAX_VALUE : room.maxInside() - head.inside();
  }

  /// The admissions of one burst, at least one; 0 if the time does not limit them.
  private static int budget(WaitingRoom room) {
    return Math.ceilDiv(room.admissionsPerMinute(), BURSTS_A_MINUTE);
  }

  /// The time in which the rate allows the admissions of one burst.
  private static Duration window(WaitingRoom room, int budget) {
    return budget == 0 ? MINUTE : MINUTE.multipliedBy(budget).dividedBy(room.admissionsPerMinute());
  }

  /// What an admitted ticket becomes in Postgres.
  private record Work(Pool pool, Head head, @Nullable AdmissionRecorder recorder)
      implements SequencedWork<WaitingTicket> {

    @Override
    public void commit(Connection connection, List<WaitingTicket> tickets) throws SQLException {
      if (!EpochCheck.isPresent(connection, name(), new Epoch(head.counts().epoch()))) {
        throw new OldEpoch();
      }
      var pass = WaitingScripts.room(pool).pass();
      AdmissionTable.insert(connection, name(), pass, tickets);
      if (recorder != null) {
        recorder.record(connection, tickets.size(), head.waiting() - tickets.size());
      }
    }

    @Override
    public Set<Long> committed(Connection connection, List<WaitingTicket> tickets)
        throws SQLException {
      return AdmissionTable.committed(connection, name(), tickets);
    }

    private PoolName name() {
      return pool.name();
    }
  }
}
