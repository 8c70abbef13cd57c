package io.holdfast.access;

import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// All keys that may be used, in memory: whoever calls with one of them is known at once, also
/// while Postgres is away. What was made or revoked elsewhere is seen within two seconds, as long
/// as Postgres answers; what was revoked here counts from the moment on that it is committed.
@Singleton
final class ApiKeyCache implements StartupTask {
  /// With the time that a look takes, news is never older than two seconds.
  private static final Duration PAUSE = Duration.ofSeconds(1);

  static final String DEMO_KEY = "hf_demo_key";

  private final ApiKeyTable table;
  private final PeriodicTasks tasks;

  /// The keys that no table holds: they come and go with the settings of this instance.
  private final Map<ApiKeyHash, Caller> given;

  private volatile Ring ring = new Ring("never looked", Map.of());

  ApiKeyCache(AccessSettings settings, ApiKeyTable table, PeriodicTasks tasks) {
    this.table = table;
    this.tasks = tasks;
    this.given = given(settings);
  }

  @Override
  public void atStart() {
    refresh();
    tasks.every("api-key-refresh", PAUSE, this::refresh).start();
  }

  @Nullable Caller find(ApiKeyHash hash) {
    var held = ring.keys.get(hash);
    return held == null ? given.get(hash) : held.caller;
  }

  /// Looks and replaces under one lock, so that an older look never undoes a newer one.
  synchronized void refresh() {
    var state = table.state(); // before the keys: what changes in between is seen next time
    if (!state.equals(ring.state)) {
      ring = new Ring(state, held());
    }
  }

  /// Takes the key away at once, whether or not Postgres can be asked again.
  synchronized void forget(long id) {
    var left = new HashMap<>(ring.keys);
    left.values().removeIf(held -> held.id == id);
    ring = new Ring("not as the table", Map.copyOf(left));
  }

  private Map<ApiKeyHash, Held> held() {
    var keys = new HashMap<ApiKeyHash, Held>();
    for (var row : table.valid()) {
      keys.put(ApiKeyHash.of(row.hash()), new Held(row.id(), caller(row)));
    }
    return Map.copyOf(keys);
  }

  private static Caller caller(ApiKeyRow row) {
    var scopes = EnumSet.noneOf(Scope.class);
    row.scopes().forEach(word -> scopes.add(Scope.of(word).orElseThrow()));
    return new Caller(row.caller(), scopes);
  }

  private static Map<ApiKeyHash, Caller> given(AccessSettings settings) {
    var all = EnumSet.allOf(Scope.class);
    var keys = new HashMap<ApiKeyHash, Caller>();
    settings.operatorKey().ifPresent(k -> keys.put(ApiKeyHash.of(k), new Caller("operator", all)));
    if (settings.demo()) {
      keys.put(ApiKeyHash.of(DEMO_KEY), new Caller("demo", all));
    }
    return Map.copyOf(keys);
  }

  /// @param state of the table when the keys were read
  private record Ring(String state, Map<ApiKeyHash, Held> keys) {}

  private record Held(long id, Caller caller) {}
}
