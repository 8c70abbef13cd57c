package io.holdfast.hold;

import io.holdfast.idempotency.Token;
import io.holdfast.intent.Script;
import io.holdfast.intent.Scripts;
import io.holdfast.pool.Action;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.PoolName;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/// The scripts of `redis-scripts/hold/`, one method each: keys and arguments in their order. Ends
/// with the reply, or with `IntentUnavailable`; every call may be repeated as it is, as the
/// script's *Replay* line says.
@Singleton
final class HoldScripts {
  private static final Script PLACE = Script.named("hold/place");
  private static final Script BEST = Script.named("hold/best");
  private static final Script EXTEND = Script.named("hold/extend");
  private static final Script RELEASE = Script.named("hold/release");
  private static final Script EXPIRE = Script.named("hold/expire");
  private static final Script REFUSE = Script.named("hold/refuse");
  private static final Script SWEEP = Script.named("hold/sweep");
  private static final Script KEEP = Script.named("hold/keep");
  private static final Script READ = Script.named("hold/read");
  private static final Script PIN = Script.named("hold/pin");
  private static final Script UNPIN = Script.named("hold/unpin");
  private static final Script SETTLE = Script.named("hold/settle");
  private static final Script RECOLLECT = Script.named("hold/recollect");

  /// caller, token, digest and window come first wherever a token is spent
  private static final int OF_TOKEN = 4;

  /// and then requester, lease, window, limit and salt, wherever a hold is placed
  private static final int OF_WISH = OF_TOKEN + 5;

  private final Scripts scripts;
  private final Convoy<Pin> pins;
  private final Convoy<Settlement> settlements;

  HoldScripts(Scripts scripts) {
    this.scripts = scripts;
    this.pins = new Convoy<>(this::pin, Pin::weight, scripts.isSerial());
    this.settlements = new Convoy<>(this::settle, Settlement::weight, scripts.isSerial());
  }

  CompletionStage<List<Object>> place(TokenCall call, Wish wish, String salt) {
    var arguments = wished(call, wish, salt, wish.items().size());
    for (var i = 0; i < wish.items().size(); i++) {
      arguments[OF_WISH + i] = wish.items().get(i);
    }
    return spend(PLACE, call, keys(call), arguments);
  }

  CompletionStage<List<Object>> best(TokenCall call, Wish wish, String salt, Search.Ask ask) {
    var parts = ask.parts();
    var arguments = wished(call, wish, salt, 3 + parts.size());
    arguments[OF_WISH] = Integer.toString(wish.best());
    arguments[OF_WISH + 1] = Integer.toString(call.pool().itemCount());
    arguments[OF_WISH + 2] = ask.manner();
    for (var i = 0; i < parts.size(); i++) {
      arguments[OF_WISH + 3 + i] = parts.get(i);
    }
    return spend(BEST, call, keys(call), arguments);
  }

  private static String[] wished(TokenCall call, Wish wish, String salt, int more) {
    var policy = call.pool().policy();
    var arguments = new String[OF_WISH + more];
    arguments[OF_TOKEN] = wish.requester();
    arguments[OF_TOKEN + 1] = ms(wish.lease());
    arguments[OF_TOKEN + 2] = ms(policy.window());
    arguments[OF_TOKEN + 3] = Integer.toString(policy.maxHoldsPerRequester());
    arguments[OF_TOKEN + 4] = salt;
    return arguments;
  }

  CompletionStage<List<Object>> release(TokenCall call, HoldId hold, String requester) {
    return spend(RELEASE, call, keys(call, hold), tail(hold.salt(), requester));
  }

  CompletionStage<List<Object>> expire(TokenCall call, HoldId hold, boolean isForced) {
    return spend(EXPIRE, call, keys(call, hold), tail(hold.salt(), isForced ? "force" : ""));
  }

  CompletionStage<List<Object>> refuse(TokenCall call, Action action, String outcome) {
    return spend(REFUSE, call, keys(call), tail(action.word(), outcome));
  }

  /// Those of one pool that come together are one call.
  CompletionStage<List<Object>> pin(
      TokenCall call, HoldId hold, String requester, long fence, PinSettings settings) {
    return pins.join(hold.pool(), new Pin(call, hold, requester, fence, settings));
  }

  private record Pin(
      TokenCall call, HoldId hold, String requester, long fence, PinSettings settings) {
    private static final int KEYS = 2;
    private static final int ARGUMENTS = 10;

    static int weight(Pin pin) {
      return KEYS + ARGUMENTS;
    }

    void write(String[] keys, String[] arguments, int place) {
      keys[1 + KEYS * place] = call.tokenKey();
      keys[2 + KEYS * place] = key(hold.pool(), hold.fence());
      var next = ARGUMENTS * place;
      arguments[next++] = call.caller();
      arguments[next++] = call.token().value();
      arguments[next++] = call.digest().value();
      arguments[next++] = call.windowMs();
      arguments[next++] = hold.salt();
      arguments[next++] = requester;
      arguments[next++] = Long.toString(fence);
      arguments[next++] = ms(settings.pin());
      arguments[next++] = ms(settings.maxClockSkew());
      arguments[next] = ms(settings.grace());
    }
  }

  private CompletionStage<List<Object>> pin(PoolName pool, List<Pin> calls) {
    var keys = new String[1 + Pin.KEYS * calls.size()];
    var arguments = new String[Pin.ARGUMENTS * calls.size()];
    keys[0] = pool.key("meta");
    for (var i = 0; i < calls.size(); i++) {
      calls.get(i).write(keys, arguments, i);
    }
    return scripts.call(PIN, keys, arguments);
  }

  /// @param next what Postgres has written
  CompletionStage<List<Object>> unpin(PoolName pool, Fence fence, long pin, long next) {
    var keys = new String[] {pool.key("meta"), key(pool, fence)};
    return scripts.call(UNPIN, keys, Long.toString(pin), Long.toString(next));
  }

  CompletionStage<List<Object>> keep(PoolName pool, Fence fence, long pin, Instant until) {
    var keys = new String[] {pool.key("meta"), key(pool, fence)};
    return scripts.call(KEEP, keys, Long.toString(pin), Long.toString(until.toEpochMilli()));
  }

  /// Those of one pool that come together are one call.
  CompletionStage<List<Object>> settle(Settlement settlement) {
    return settlements.join(settlement.pool(), settlement);
  }

  private CompletionStage<List<Object>> settle(PoolName pool, List<Settlement> all) {
    var keys = new ArrayList<String>(2 + 2 * all.size());
    var arguments = new ArrayList<String>();
    keys.add(pool.key("meta"));
    for (var settlement : all) {
      keys.add(settlement.tokenKey());
      if (keys.size() == 2) {
        keys.add(pool.key("journal"));
      } else {
        arguments.add(""); // behind the one before
      }
      keys.add(key(pool, settlement.fence()));
      settlement.write(arguments);
    }
    return scripts.call(SETTLE, keys.toArray(String[]::new), arguments.toArray(String[]::new));
  }

  CompletionStage<List<Object>> extend(String caller, HoldId hold, String requester, long fence) {
    var keys = new String[] {hold.pool().key("meta"), key(hold.pool(), hold.fence())};
    return scripts.call(EXTEND, keys, caller, hold.salt(), requester, Long.toString(fence));
  }

  CompletionStage<List<Object>> sweep(PoolName pool, int most) {
    var keys = new String[] {pool.key("meta"), pool.key("journal"), pool.key("due")};
    return scripts.call(SWEEP, keys, Integer.toString(most));
  }

  CompletionStage<List<Object>> read(PoolName pool, List<Fence> fences) {
    var keys = new String[1 + fences.size()];
    keys[0] = pool.key("meta");
    for (var i = 0; i < fences.size(); i++) {
      keys[1 + i] = key(pool, fences.get(i));
    }
    return scripts.call(READ, keys);
  }

  CompletionStage<List<Object>> recollect(PoolName pool, String caller, Token token) {
    var key = pool.key("tok:" + caller + ":" + token.value());
    return scripts.call(RECOLLECT, new String[] {pool.key("meta"), key});
  }

  private CompletionStage<List<Object>> spend(
      Script script, TokenCall call, String[] keys, String[] arguments) {
    Token token = call.token();
    arguments[0] = call.caller();
    arguments[1] = token.value();
    arguments[2] = call.digest().value();
    arguments[3] = call.windowMs();
    return scripts.call(script, keys, arguments);
  }

  private static String[] tail(String first, String second) {
    var arguments = new String[OF_TOKEN + 2];
    arguments[OF_TOKEN] = first;
    arguments[OF_TOKEN + 1] = second;
    return arguments;
  }

  private static String[] keys(TokenCall call) {
    var pool = call.pool().name();
    return new String[] {pool.key("meta"), call.tokenKey(), pool.key("journal")};
  }

  private static String[] keys(TokenCall call, HoldId hold) {
    var pool = hold.pool();
    return new String[] {
      pool.key("meta"), call.tokenKey(), pool.key("journal"), key(pool, hold.fence())
    };
  }

  private static String key(PoolName pool, Fence fence) {
    return pool.key("hold:" + fence);
  }

  private static String ms(Duration duration) {
    return Long.toString(duration.toMillis());
  }
}
