package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.holdfast.redis.ModelHold.Call;
import io.holdfast.redis.ModelHold.Wish;

/// Random calls to a memory, in batches of random size, each answered as the model answers one call
/// after the other, and with the same things in both afterwards. `HOLDFAST_TEST_SEED` in the
/// environment repeats a run.
final class RandomCalls {
  private static final int STEPS = 4_000;
  private static final int LOOK_EVERY = 50;
  private static final int BATCH_MAX = 8;
  private static final int HOLD_MS = 1_200;
  private static final int HOLDS_MAX = 2;
  private static final List<String> ITEMS =
      List.of("A-1", "A-2", "%d", "[a-z]*", "{x}", "ä b", "-1", "1e5", "nil", "\\", "'\"", "%1%");
  private static final List<String> CALLERS = List.of("shop", "fair");
  private static final List<String> METADATA = List.of("", "{\"a\":\"b c\"}");
  private static final List<String> REQUESTERS = List.of("u1", "u 2", "%s[");

  private final long seed =
      Optional.ofNullable(System.getenv("HOLDFAST_TEST_SEED"))
          .map(Long::valueOf)
          .orElseGet(System::nanoTime);
  private final Random random = new Random(seed);
  private final HoldModel model = new HoldModel(new TreeSet<>(ITEMS), 1_800_000_000_000L);
  final List<Long> fences = new ArrayList<>();
  private final List<Call> calls = new ArrayList<>();
  private final Map<String, Wish> wishes = new HashMap<>();

  /// Counts of the outcomes.
  Map<String, Integer> run(RedisMemory memory) {
    System.out.println("HOLDFAST_TEST_SEED=" + seed);
    var words = new TreeMap<String, Integer>();
    memory.loseAll();
    memory.setClock(model.now);
    new ModelSeeding(model, memory, true).open();
    for (var i = 0; i < STEPS; i++) {
      step(memory).forEach(word -> words.merge(word, 1, Integer::sum));
      if (i % LOOK_EVERY == 0) {
        memory.assertIsAs(model);
      }
    }
    memory.assertIsAs(model);
    System.out.println(words);
    return words;
  }

  private List<String> step(RedisMemory memory) {
    return switch (random.nextInt(20)) {
      case 0, 1, 2, 3, 4, 5, 6 ->
          batch(memory, "hold/place", this::place, HOLD_MS, HOLDS_MAX, "REFUSE");
      case 7, 8 -> batch(memory, "hold/extend", this::extend);
      case 9, 10 -> batch(memory, "hold/release", this::release);
      case 11 -> batch(memory, "hold/expire", this::expire);
      case 12 -> sweep(memory);
      case 13 -> sell(memory);
      case 14 -> random.nextInt(20) == 0 ? seedAnew(memory) : move(memory, random.nextInt(300));
      case 15 -> move(memory, random.nextInt(20) == 0 ? 70_000 : 0);
      default -> move(memory, random.nextInt(300));
    };
  }

  /// A call of a batch, and what the model has answered to it.
  private record Asked(Stream<?> texts, String expected) {}

  /// Later calls are made up when the model knows of the earlier ones, so they concern what those
  /// have done.
  private List<String> batch(
      RedisMemory memory, String script, Supplier<Asked> call, Object... header) {
    var asked = Stream.generate(call).limit(1 + random.nextInt(BATCH_MAX)).toList();
    var arguments = Stream.concat(Stream.of(header), asked.stream().flatMap(Asked::texts));
    return same(
        memory.call(script, arguments.toArray()), asked.stream().map(Asked::expected).toList());
  }

  private Asked place() {
    var items = new ArrayList<>(ITEMS);
    Collections.shuffle(items, random);
    var asked = new ArrayList<>(items.subList(0, 1 + random.nextInt(3)));
    if (random.nextInt(5) == 0) {
      someHold().ifPresent(hold -> replace(asked, hold));
    }
    if (random.nextInt(40) == 0) {
      asked.add("no such item");
    }
    var named = call("place_hold");
    var fresh =
        new Wish(
            oneOf(REQUESTERS),
            1 + random.nextInt(1_500),
            HOLD_MS,
            HOLDS_MAX,
            asked,
            0,
            oneOf(METADATA));
    var wish = random.nextInt(3) > 0 ? wishes.getOrDefault(named.token(), fresh) : fresh;
    wishes.put(named.token(), wish);
    var call = named.under(wish.digest());
    var expected = model.place(call, wish);
    if (expected.startsWith("HELD\t")) {
      fences.add(model.holds.lastKey());
    }
    var lease = String.valueOf(wish.leaseMs());
    var joined = String.join("\n", wish.items());
    return asked(call, expected, wish.requester(), lease, call.salt(), joined, wish.metadata(), "");
  }

  private void replace(List<String> asked, ModelHold hold) {
    asked.clear();
    asked.addAll(hold.wish.items());
    Collections.shuffle(asked, random);
  }

  private Asked extend() {
    var fence = someFence();
    var caller = usual(fence, hold -> hold.call.caller(), CALLERS);
    var requester = usual(fence, hold -> hold.wish.requester(), REQUESTERS);
    var known = random.nextInt(10) == 0 ? fence - 1 : fence;
    return new Asked(
        Stream.of(caller, fence, saltOf(fence), requester, known),
        model.extend(caller, fence, requester, known));
  }

  private Asked release() {
    var fence = someFence();
    var requester = usual(fence, hold -> hold.wish.requester(), REQUESTERS);
    var salt = random.nextInt(20) == 0 ? "wrong" : saltOf(fence);
    var call = call("release");
    var expected = model.release(call, fence, salt, requester);
    return asked(call, expected, String.valueOf(fence), salt, requester);
  }

  private Asked expire() {
    var fence = someFence();
    var isForced = random.nextInt(3) == 0;
    var salt = saltOf(fence);
    var call = call("expire");
    var expected = model.expire(call, fence, isForced);
    return asked(call, expected, String.valueOf(fence), salt, isForced ? "force" : "");
  }

  private static Asked asked(Call call, String expected, String... others) {
    var first = Stream.of(call.caller(), call.token(), call.digest());
    return new Asked(Stream.concat(first, Stream.of(others)), expected);
  }

  private List<String> sweep(RedisMemory memory) {
    var count = 1 + random.nextInt(4);
    return same(memory.call("hold/sweep", count), model.sweep(count)).subList(0, 1);
  }

  private List<String> sell(RedisMemory memory) {
    var item = oneOf(ITEMS);
    if (!model.sold.remove(item) && model.sold.size() < 2) {
      model.sold.add(item);
    }
    memory.sell(item, model.sold.contains(item) ? "7 SOLD" : "8");
    return List.of("SOLD");
  }

  private List<String> move(RedisMemory memory, long ms) {
    memory.forget(model.move(ms));
    memory.setClock(model.now);
    return List.of("MOVED");
  }

  /// Either the server was started again with all that it knew, or with nothing.
  private List<String> seedAnew(RedisMemory memory) {
    var isLost = random.nextBoolean();
    model.epoch++;
    model.seq = 0;
    model.version = 0;
    model.lines = 0;
    if (isLost) {
      memory.loseAll();
      memory.setClock(model.now);
      model.holds.values().removeIf(hold -> !hold.isHeld());
      model.holders.clear();
      model.tokens.clear();
    }
    new ModelSeeding(model, memory, isLost).open();
    return List.of(isLost ? "LOST" : "RESTARTED");
  }

  private Call call(String action) {
    if (!calls.isEmpty() && random.nextInt(12) == 0) {
      var earlier = calls.get(Math.max(0, calls.size() - 1 - random.nextInt(5)));
      return new Call(action, earlier.caller(), earlier.token(), earlier.digest());
    }
    calls.add(new Call(action, oneOf(CALLERS), "tok-" + calls.size(), "1:" + random.nextInt(2)));
    return calls.getLast();
  }

  private static List<String> same(List<String> reply, List<String> expected) {
    assertThat(reply).isEqualTo(expected);
    return reply.stream().map(ScriptExample::word).toList();
  }

  private Optional<ModelHold> someHold() {
    return model.held().skip(random.nextInt(4)).findFirst();
  }

  private long someFence() {
    return someHold()
        .filter(_ -> random.nextInt(8) > 0)
        .map(hold -> hold.fence)
        .orElseGet(() -> fences.isEmpty() ? 99L : oneOf(fences));
  }

  private String saltOf(long fence) {
    var hold = model.holds.get(fence);
    return hold == null ? "none" : hold.salt();
  }

  private String usual(long fence, Function<ModelHold, String> field, List<String> others) {
    var hold = model.holds.get(fence);
    return hold == null || random.nextInt(8) == 0 ? oneOf(others) : field.apply(hold);
  }

  private <T> T oneOf(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }
}
