package io.holdfast.checkout.reversal;

import io.holdfast.pool.HoldId;
import io.holdfast.postgres.Leases;
import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.FailureLog;
import io.holdfast.runtime.InstanceId;
import io.holdfast.runtime.PeriodicTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import io.micronaut.core.annotation.Order;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reverses sales that failed their verification, in pools whose policy says so. One instance is
/// enough; two reverse a sale once, as two operators would.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS)
final class AutomaticCompensation implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(AutomaticCompensation.class);
  private static final Duration PERIOD = Duration.ofSeconds(5);
  private static final Duration LEASE_FOR = Duration.ofSeconds(15);
  private static final int PAGE = 100;

  /// In the order of the primary key, so that a sale that is refused for good hides no other one. A
  /// checkout undoes its own sale.
  private static final String DUE =
      """
      SELECT v.pool, v.hold_id FROM verification v JOIN pool p USING (pool)
       WHERE NOT v.passed AND (v.pool, v.hold_id) > (?, ?)
         AND p.policy ->> 'compensate' = 'AUTOMATIC'
         AND NOT EXISTS (SELECT 1 FROM reversal r
                          WHERE r.pool = v.pool AND r.hold_id = v.hold_id)
         AND NOT EXISTS (SELECT 1 FROM checkout c
                          WHERE c.pool = v.pool
                            AND (c.hold_id = v.hold_id OR c.replacement_id = v.hold_id)
                            AND c.phase <> 'COMPENSATED')
       ORDER BY v.pool, v.hold_id
       LIMIT ?
      """;

  private static final Due START = new Due("", "");

  private final FailureLog failures =
      new FailureLog(
          LOG,
          "A sale that failed its verification cannot be reversed",
          "All sales that failed their verification can be reversed again");

  private final SaleCompensation sales;
  private final Transactions transactions;
  private final Leases leases;
  private final InstanceId instance;
  private final PeriodicTask task;

  AutomaticCompensation(
      SaleCompensation sales,
      Transactions transactions,
      Leases leases,
      InstanceId instance,
      PeriodicTasks tasks) {
    this.sales = sales;
    this.transactions = transactions;
    this.leases = leases;
    this.instance = instance;
    this.task = tasks.every("compensate", PERIOD, this::run);
  }

  @Override
  public void atStart() {
    task.start();
  }

  /// A failure concerns one sale only; the others are reversed.
  private void run() {
    var after = START;
    var page = List.<Due>of();
    do {
      if (!leases.take("compensate", instance.name(), LEASE_FOR)) {
        return;
      }
      page = due(after);
      for (var each : page) {
        if (task.isStopping()) {
          return;
        }
        reverse(each);
        after = each;
      }
    } while (page.size() == PAGE);
  }

  private void reverse(Due due) {
    try {
      if (sales.compensateByPolicy(HoldId.parse(due.holdId).orElseThrow())) {
        LOG.warn("The sale of hold {} had failed its verification and is reversed", due.holdId);
      }
      failures.succeeded(due.holdId);
    } catch (RuntimeException e) { // of Redis, Postgres or this sale
      failures.failed(due.holdId, e);
      LOG.debug("cause", e);
    }
  }

  private record Due(String pool, String holdId) {}

  private List<Due> due(Due after) {
    return transactions.read(
        connection -> {
          var due = new ArrayList<Due>();
          try (var select = connection.prepareStatement(DUE)) {
            select.setString(1, after.pool);
            select.setString(2, after.holdId);
            select.setInt(3, PAGE);
            try (var rows = select.executeQuery()) {
              while (rows.next()) {
                due.add(new Due(rows.getString("pool"), rows.getString("hold_id")));
              }
            }
          }
          return due;
        });
  }
}
