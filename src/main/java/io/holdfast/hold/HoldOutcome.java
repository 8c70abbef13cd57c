package io.holdfast.hold;

import io.holdfast.commitment.PinResult;
import io.holdfast.pool.EndReason;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolCounts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a call about a hold can come to. A caller answers every case or does not compile.
public sealed interface HoldOutcome {

  /// Decided, and kept under the call's token: whoever repeats the call gets the same again.
  sealed interface Decided extends HoldOutcome {}

  /// The items are the requester's until the lease ends; the fence orders it among all holders.
  record Held(HoldRecord hold) implements Decided {}

  /// The requester held exactly these items before; nothing has moved.
  record Same(HoldRecord hold) implements Decided {}

  record Released(HoldRecord hold) implements Decided {}

  record Expired(HoldRecord hold) implements Decided {}

  record Taken(List<String> items) implements Decided {}

  record NoSuchItem(List<String> items) implements Decided {}

  /// The requester has as many holds as the pool lets anybody have.
  record Limit(int holdsMax) implements Decided {}

  record Invalid(@Nullable String field, String sentence) implements Decided {}

  /// Ended before, or held by somebody else.
  record NotHeld() implements Decided {}

  record NotKnown() implements Decided {}

  record WindowNotElapsed() implements Decided {}

  /// It is sold, for good.
  record Confirmed(HoldRecord hold) implements Decided {}

  /// The intended effect was had before, by another order or another hold.
  record ReplayDuplicate() implements Decided {}

  /// The nonce is none, or it is for something else or for another time.
  record NonceUnbound() implements Decided {}

  record NonceConsumed() implements Decided {}

  /// A second look at the sale found something wrong: it will be undone.
  record Compensating() implements Decided {}

  /// A heartbeat was heard.
  record Extended(HoldRecord hold) implements HoldOutcome {}

  /// Its time ran out, whether or not a sweeper has been there.
  record Elapsed() implements Decided {}

  record StaleFence() implements Decided {}

  /// What Redis says to a call that wants to commit.
  record Pinning(PinResult intent) implements HoldOutcome {}

  /// The hold is being committed, so only Postgres may end it.
  ///
  /// @param reason why it would expire, if that was asked for
  /// @param epoch of the pool, as Redis has it
  record Pinned(HoldRecord hold, @Nullable EndReason reason, Epoch epoch) implements HoldOutcome {}

  /// Another call under this token, or on this hold, has not ended yet.
  record Running() implements HoldOutcome {}

  /// How holds stand, and when that was, by Redis' clock.
  record Seen(Instant at, List<HoldRecord> holds) implements HoldOutcome {}

  /// How the pool stands.
  record Stands(PoolCounts standing) implements HoldOutcome {}

  /// What Redis knows of a token, if it knows anything.
  record Recollected(@Nullable StoredTokenOutcome what) implements HoldOutcome {}

  /// There is no room where it was looked for; there may be some elsewhere.
  record Elsewhere() implements HoldOutcome {}

  /// The token was spent on something else.
  record Collision() implements HoldOutcome {}

  /// The token was recorded by an instance that takes digests in another way.
  record Drift(String digestFunction) implements HoldOutcome {}

  /// The hold is not in Redis: Postgres knows its end, or nobody knows it.
  record Absent() implements HoldOutcome {}

  /// The journal has no room; nothing was done.
  record Full() implements HoldOutcome {}

  /// Redis gave no answer that counts. If it is not `definite`, the call may have been carried out,
  /// and only asking again under the same token can tell.
  record Away(boolean definite, String why) implements HoldOutcome {}

  /// Too many calls wait for Redis; this one was not sent.
  ///
  /// @param retryAfter how long those before it will take
  record Shed(Duration retryAfter) implements HoldOutcome {}
}
