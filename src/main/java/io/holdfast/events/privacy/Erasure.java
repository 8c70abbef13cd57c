package io.holdfast.events.privacy;

import io.holdfast.pool.PoolName;
import io.holdfast.subject.DataSubject;
import java.time.Instant;
import java.util.Set;

/// What a shredding has to do after its transaction, in stored answers and in Redis. The person may
/// have returned since; what they have done later keeps the name.
///
/// @param pseudonym that takes the place of the requester
/// @param pools in which the person was known
/// @param shreddedAt by the clock of Postgres
record Erasure(DataSubject person, String pseudonym, Set<PoolName> pools, Instant shreddedAt) {
  Erasure {
    pools = Set.copyOf(pools);
  }
}
