package io.holdfast.journal;

import io.holdfast.postgres.Leases;
import io.holdfast.runtime.InstanceId;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Whether draining is this instance's business. Asked three times in a lease.
@Singleton
final class DrainLease {
  static final String LEASE = "journal";

  private static final Logger LOG = LoggerFactory.getLogger(DrainLease.class);
  private static final Duration LEASE_FOR = Duration.ofMillis(4_500);
  static final Duration RENEWAL = LEASE_FOR.dividedBy(3);

  private final Leases leases;
  private final InstanceId instance;
  private boolean isOurs;
  private long askedAt = System.nanoTime() - RENEWAL.toNanos();

  DrainLease(Leases leases, InstanceId instance) {
    this.leases = leases;
    this.instance = instance;
  }

  boolean isOurs() {
    var now = System.nanoTime();
    if (now - askedAt >= RENEWAL.toNanos()) {
      renew();
      askedAt = now;
    }
    return isOurs;
  }

  void giveBack() {
    if (isOurs) {
      leases.giveBack(LEASE, instance.name());
      isOurs = false;
    }
  }

  private void renew() {
    var wasOurs = isOurs;
    isOurs = false; // also if the next line fails
    isOurs = leases.take(LEASE, instance.name(), LEASE_FOR);
    if (isOurs != wasOurs) {
      LOG.info(isOurs ? "This instance drains the journals" : "Another one drains the journals");
    }
  }
}
