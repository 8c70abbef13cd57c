package io.holdfast.access;

import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// All valid API keys, in memory, so that callers are authenticated without Postgres. A change on
/// another instance is seen within two seconds while Postgres is up; a revocation on this instance
/// takes effect with its commit.
@Singleton
final class ApiKeyCache implements StartupTask {
  /// With the time that a refresh takes, the cache is never more than two seconds behind.
  private static final Duration PAUSE = Duration.ofSeconds(1);

  static final String DEMO_KEY = "hf_demo_key";

  private final ApiKeyTable table;
  private final PeriodicTasks tasks;

  /// The keys from the settings of this instance, which are in no table.
  private final Map<ApiKeyHash, Caller> configured;

  private volatile Snapshot snapshot = new Snapshot("never read", Map.of());

  ApiKeyCache(AccessSettings settings, ApiKeyTable table, PeriodicTasks tasks) {
    this.table = table;
    this.tasks = tasks;
    this.configured = configured(settings);
  }

  @Override
  public void atStart() {
    refresh();
    tasks.every("api-key-refresh", PAUSE, this::refresh).start();
  }

  @Nullable Caller find(ApiKeyHash hash) {
    var key = snapshot.keys.get(hash);
    return key == null ? configured.get(hash) : key.caller;
  }

  /// Reads and replaces under one lock, so that an older read never replaces a newer one.
  synchronized void refresh() {
    var checksum = table.checksum(); // before the keys: a change in between is seen next time
    if (!checksum.equals(snapshot.checksum)) {
      snapshot = new Snapshot(checksum, readKeys());
    }
  }

  /// Removes the key at once, even if Postgres cannot be read again; not if `maker` may not revoke
  /// it.
  synchronized void remove(long id, Caller maker) {
    var left = new HashMap<>(snapshot.keys);
    left.values().removeIf(key -> key.id == id && maker.mayManageKeysOf(key.caller.name()));
    snapshot = new Snapshot("differs from the table", Map.copyOf(left));
  }

  private Map<ApiKeyHash, Key> readKeys() {
    var keys = new HashMap<ApiKeyHash, Key>();
    for (var row : table.findByRevokedAtIsNull()) {
      keys.put(ApiKeyHash.of(row.hash()), Key.of(row));
    }
    return Map.copyOf(keys);
  }

  private static Map<ApiKeyHash, Caller> configured(AccessSettings settings) {
    var all = EnumSet.allOf(Scope.class);
    var keys = new HashMap<ApiKeyHash, Caller>();
    settings.operatorKey().ifPresent(k -> keys.put(ApiKeyHash.of(k), new Caller("operator", all)));
    if (settings.demo()) {
      keys.put(ApiKeyHash.of(DEMO_KEY), new Caller("demo", all));
    }
    return Map.copyOf(keys);
  }

  /// @param checksum of the table before the keys were read
  private record Snapshot(String checksum, Map<ApiKeyHash, Key> keys) {}

  private record Key(long id, Caller caller) {

    static Key of(ApiKeyRow row) {
      var scopes = EnumSet.noneOf(Scope.class);
      for (var name : row.scopes()) {
        scopes.add(Scope.of(name).orElseThrow());
      }
      return new Key(Objects.requireNonNull(row.id()), new Caller(row.caller(), scopes));
    }
  }
}
