package io.holdfast.bench;

import java.time.Duration;
import java.util.stream.Stream;

/// Processor time that the three parts of a service have used so far, and what was used beside them
/// and us. Time per request tells more of a change than a speed does where other programs run on
/// the machine too, and how much those took tells whether speeds can be believed.
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
