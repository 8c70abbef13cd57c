package io.holdfast.waiting;

import io.holdfast.commitment.sequence.SequenceQueue;
import io.holdfast.pool.Pool;
import io.holdfast.waiting.WaitingReplies.Head;
import java.util.ArrayList;
import java.util.List;

/// The queue of a pool for one run of admissions, whose head was read together with the counts that
/// limit the run.
final class AdmissionQueue implements SequenceQueue<WaitingTicket> {
  private final Pool pool;
  private final Head head;
  private final WaitingScripts scripts;
  private final AdmissionTable admissions;
  private final long committedBefore;

  /// @param committedBefore the committed sequence of the pool when the run began
  AdmissionQueue(
      Pool pool,
      Head head,
      WaitingScripts scripts,
      AdmissionTable admissions,
      long committedBefore) {
    this.pool = pool;
    this.head = head;
    this.scripts = scripts;
    this.admissions = admissions;
    this.committedBefore = committedBefore;
  }

  @Override
  public List<WaitingTicket> head(int max) {
    return head.tickets().subList(0, Math.min(max, head.tickets().size()));
  }

  /// The ends of the passes are in Postgres only.
  @Override
  public void remove(List<WaitingTicket> committed) {
    var arguments = new ArrayList<String>();
    for (var pass : admissions.passes(pool.name(), committed)) {
      arguments.add(Long.toString(pass.number()));
      arguments.add(Long.toString(pass.until().toEpochMilli()));
      arguments.add(pass.isRevoked() ? "REVOKED" : "VALID");
    }
    scripts.admit(pool.name(), arguments);
  }

  @Override
  public void putBehind(List<WaitingTicket> overtaken) {
    var tickets = overtaken.stream().map(WaitingTicket::record).toList();
    scripts.putBehind(pool, tickets, committedBefore);
  }
}
