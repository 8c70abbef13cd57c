package io.holdfast.commitment;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LedgerMetersTest {
  @Test
  void the_number_of_waiting_requests_survives_garbage_collection() {
    var registry = new SimpleMeterRegistry();
    new LedgerMeters(registry).queueIs(new AtomicInteger(7)::get);

    System.gc();

    assertThat(registry.get("holdfast.queue.depth").gauge().value()).isEqualTo(7);
  }
}
