package io.holdfast.commitment;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LedgerMetersTest {
  @Test
  void how_many_wait_is_told_however_much_memory_was_cleared_meanwhile() {
    var registry = new SimpleMeterRegistry();
    new LedgerMeters(registry).queueIs(new AtomicInteger(7)::get);

    System.gc();

    assertThat(registry.get("holdfast.queue.depth").gauge().value()).isEqualTo(7);
  }
}
