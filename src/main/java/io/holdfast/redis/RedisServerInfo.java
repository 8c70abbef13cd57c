package io.holdfast.redis;

import java.util.HashMap;
import java.util.Map;

/// The fields of a server's INFO that the service depends on.
record RedisServerInfo(String evictionPolicy, boolean isCluster, RunId runId) {

  static RedisServerInfo parse(String info) {
    Map<String, String> fields = new HashMap<>();
    info.lines()
        .map(line -> line.split(":", 2))
        .filter(pair -> pair.length == 2)
        .forEach(pair -> fields.put(pair[0], pair[1].strip()));
    return new RedisServerInfo(
        fields.getOrDefault("maxmemory_policy", "unknown"),
        "1".equals(fields.get("cluster_enabled")),
        new RunId(fields.getOrDefault("run_id", "")));
  }

  boolean evicts() {
    return !evictionPolicy.equals("noeviction");
  }
}
