package io.holdfast.bench;

import java.time.Duration;
import java.util.stream.Stream;

/// The processor time that the service, Redis and Postgres have used so far, and that of all other
/// programs. On a shared machine, time per request shows a change better than requests per second,
/// and the time of other programs shows whether the speeds are reliable.
///
/// @param redisMain of the thread of Redis that runs the commands, as Redis itself tells it
record Cpu(
    Duration service, Duration redis, Duration redisMain, Duration postgres, Duration others) {

  static Cpu of(long servicePid, long redisPid, Duration redisMain, long postgresPid) {
    var service = used(servicePid);
    var redis = used(redisPid);
    var postgres = usedByTree(postgresPid);
    var ours = service.plus(redis).plus(postgres).plus(used(ProcessHandle.current()));
    return new Cpu(service, redis, redisMain, postgres, Machine.busy().minus(ours));
  }

  Cpu since(Cpu earlier) {
    return new Cpu(
        service.minus(earlier.service),
        redis.minus(earlier.redis),
        redisMain.minus(earlier.redisMain),
        postgres.minus(earlier.postgres),
        others.minus(earlier.others));
  }

  private static Duration used(long pid) {
    return ProcessHandle.of(pid).map(Cpu::used).orElse(Duration.ZERO);
  }

  private static Duration usedByTree(long pid) {
    return ProcessHandle.of(pid).stream()
        .flatMap(root -> Stream.concat(Stream.of(root), root.descendants()))
        .map(Cpu::used)
        .reduce(Duration.ZERO, Duration::plus);
  }

  private static Duration used(ProcessHandle process) {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }
}
