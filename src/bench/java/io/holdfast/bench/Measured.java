package io.holdfast.bench;

import java.time.Duration;
import java.util.function.Supplier;

/// A turn with its processor time and the journal that was left to drain at its end.
///
/// @param lag lines of the journal that waited for Postgres when it ended
/// @param drain how long they did
record Measured(Turn turn, Cpu cpu, long lag, Duration drain) {

  static Measured by(ServiceProcess service, Supplier<Turn> turn) {
    var before = service.cpu();
    var done = turn.get();
    return new Measured(done, service.cpu().since(before), 0, Duration.ZERO);
  }

  Measured with(Stage.Drain left) {
    return new Measured(turn, cpu, left.lag(), left.time());
  }

  double perSecond() {
    return turn.perSecond();
  }

  double p50Millis() {
    return turn.p50Nanos() / 1e6;
  }

  double p99Millis() {
    return turn.p99Nanos() / 1e6;
  }

  double serviceMicros() {
    return microsARequest(cpu.service());
  }

  double redisMicros() {
    return microsARequest(cpu.redis());
  }

  /// Of the thread of Redis that runs the commands.
  double redisMainMicros() {
    return microsARequest(cpu.redisMain());
  }

  double p99ToP50() {
    return p99Millis() / p50Millis();
  }

  double postgresMicros() {
    return microsARequest(cpu.postgres());
  }

  /// Of the service and its servers together.
  double micros() {
    return serviceMicros() + redisMicros() + postgresMicros();
  }

  /// Percent of the machine that neither the service nor the driver used.
  double othersPercent() {
    return 100.0 * cpu.others().toNanos() / turn.whole().toNanos() / Machine.PROCESSORS;
  }

  double drainSeconds() {
    return drain.toNanos() / 1e9;
  }

  /// The speed at which the journal would not grow.
  double perSecondDrained() {
    return turn.answers() * 1e9 / turn.whole().plus(drain).toNanos();
  }

  /// The processor time is that of all requests, also of those that came before the count began.
  private double microsARequest(Duration used) {
    return used.toNanos() / 1e3 / turn.answers();
  }
}
