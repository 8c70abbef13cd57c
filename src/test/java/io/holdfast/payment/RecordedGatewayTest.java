package io.holdfast.payment;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.payment.PaymentOutcome.Done;
import io.holdfast.payment.PaymentOutcome.Unknown;
import io.holdfast.payment.notice.PaymentNotices;
import io.holdfast.payment.simulator.Simulator;
import io.holdfast.payment.simulator.SimulatorLedger;
import io.holdfast.testing.Await;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import io.micrometer.core.instrument.MeterRegistry;
import io.micronaut.context.ApplicationContext;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Every call to a provider has a time limit.
@ExtendWith(RealServers.class)
class RecordedGatewayTest {
  private final TestServers servers;

  RecordedGatewayTest(TestServers servers) {
    this.servers = servers;
  }

  @Test
  void no_more_calls_than_allowed_are_under_way_and_the_others_are_not_made() {
    var settings =
        Map.<String, Object>of(
            "holdfast.demo", "true",
            "holdfast.payment-timeout", "800ms",
            "holdfast.payment-calls", "1");
    try (var service = RealServers.start(servers, settings)) {
      var context = service.context();
      var outside =
          new HangingGateway(new Simulator(context.getBean(SimulatorLedger.class), _ -> {}));
      var gateway = guarded(context, outside);

      var hanging = gateway.authorise(PaymentFixture.call(PaymentFixture.id("payment"), "ok"));
      var others =
          Together.run(
              2,
              i -> gateway.authorise(PaymentFixture.call(PaymentFixture.id("payment-" + i), "ok")));

      assertThat(hanging).isEqualTo(new Unknown("simulator gave no answer within 800 ms"));
      assertThat(others)
          .allSatisfy(it -> assertThat(((Unknown) it).why()).startsWith("not asked, too many"));
      assertThat(outside.asked()).as("what hangs still has its turn").isEqualTo(1);
      outside.wakeUp();
      Await.until(
          Duration.ofSeconds(20),
          () ->
              gateway.authorise(PaymentFixture.call(PaymentFixture.id("payment"), "ok"))
                  instanceof Done);
    }
  }

  @Test
  void a_call_that_cannot_be_recorded_is_not_sent() {
    try (var wire = FaultProxy.before(servers.jdbcUrl());
        var provider = new ScriptedProvider();
        var service = RealServers.start(servers, over(wire, provider))) {
      var gateway = service.context().getBean(GatewayRegistry.class).find("http").orElseThrow();
      var call = PaymentFixture.call(PaymentFixture.id("payment"), "ok");
      wire.cut();

      var outcome = gateway.authorise(call);

      assertThat(outcome).extracting("why").asString().startsWith("not asked");
      assertThat(provider.requests()).isEmpty();
      wire.heal();
      Await.until(Duration.ofSeconds(20), () -> gateway.authorise(call) instanceof Done);
    }
  }

  private static PaymentGateway guarded(ApplicationContext context, PaymentGateway outside) {
    return new RecordedGateway(
        outside,
        context.getBean(PaymentCallLog.class),
        context.getBean(PaymentNotices.class),
        context.getBean(MeterRegistry.class),
        context.getBean(PaymentSettings.class));
  }

  private Map<String, Object> over(FaultProxy wire, ScriptedProvider provider) {
    return Map.of(
        "jdbc.url",
        wire.insteadOf(servers.jdbcUrl()),
        "holdfast.payment-url",
        provider.url().toString(),
        "holdfast.payment-key",
        "k",
        "holdfast.payment-methods",
        "ok",
        "holdfast.payment-secret",
        PaymentFixture.SECRET);
  }
}
