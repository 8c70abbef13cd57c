package io.holdfast.commitment;

import jakarta.inject.Singleton;
import java.util.concurrent.CompletionStage;

/// Who has bought what. One place decides, and it is Postgres.
@Singleton
public final class Ledger {
  private final GroupCommitter committer;

  Ledger(GroupCommitter committer) {
    this.committer = committer;
  }

  /// Sells what a hold holds, once, whatever happens. Answers when it is durable and was looked at
  /// a second time, on a thread that may block.
  public CompletionStage<CommitOutcome> confirm(Confirm request) {
    return committer.confirm(request);
  }
}
