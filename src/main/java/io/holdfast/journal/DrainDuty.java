package io.holdfast.journal;

import io.holdfast.postgres.Catalogue;
import io.holdfast.postgres.Leases;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Whether draining is this instance's business, and of which pools. Both are asked once a second.
@Singleton
final class DrainDuty {
  static final Duration RENEWAL = Duration.ofSeconds(1);
  static final String LEASE = "journal";

  private static final Logger LOG = LoggerFactory.getLogger(DrainDuty.class);
  private static final Duration LEASE_FOR = Duration.ofSeconds(5);

  private final Leases leases;
  private final Catalogue catalogue;
  private final Instance instance;
  private boolean isOurs;
  private long askedAt = System.nanoTime() - RENEWAL.toNanos();

  DrainDuty(Leases leases, Catalogue catalogue, Instance instance) {
    this.leases = leases;
    this.catalogue = catalogue;
    this.instance = instance;
  }

  /// Adds pools that are new to `turns`.
  boolean isOurs(Turns turns) {
    var now = System.nanoTime();
    if (now - askedAt >= RENEWAL.toNanos()) {
      renew();
      if (isOurs) {
        turns.add(catalogue.names(), now);
      }
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
