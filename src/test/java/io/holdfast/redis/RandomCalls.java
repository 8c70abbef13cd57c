package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.holdfast.redis.ModelHold.Call;
import io.holdfast.redis.ModelHold.Wish;

/// Random calls to a memory, each answered as the model answers it, and with the same things in
/// both afterwards. `HOLDFAST_SEED` in the environment repeats a run.
final class RandomCalls {
  private static final int CALLS = 6_000;
  private static final int LOOK_EVERY = 100;
  private static final List<String> ITEMS =
      List.of("A-1", "A-2", "%d", "[a-z]*", "{x}", "ä b", "-1", "1e5", "nil", "\\", "'\"", "%1%");
  private static final List<String> CALLERS = List.of("shop", "fair");
  private static final List<String> REQUESTERS = List.of("u1", "u 2", "%s[");

  private final long seed =
      Optional.ofNullable(System.getenv("HOLDFAST_SEED"))
          .map(Long::valueOf)
          .orElseGet(System::nanoTime);
  private final Random random = new Random(seed);
  private final HoldModel model = new HoldModel(new TreeSet<>(ITEMS), 1_800_000_000_000L);
  final List<Long> fences = new ArrayList<>();
  private final List<Call> calls = new ArrayList<>();
  private final Map<String, Wish> wishes = new HashMap<>();

  /// What they came to, and how often.
  Map<String, Integer> run(HoldMemory memory) {
    System.out.println("HOLDFAST_SEED=" + seed);
    var words = new TreeMap<String, Integer>();
    memory.loseAll();
    memory.setClock(model.now);
    new ModelSeeding(model, memory, true).open();
    for (var i = 0; i < CALLS; i++) {
      words.merge(step(memory), 1, Integer::sum);
      if (i % LOOK_EVERY == 0) {
        memory.assertIsAs(model);
      }
    }
    memory.assertIsAs(model);
    System.out.println(words);
    return words;
  }

  private String step(HoldMemory memory) {
    return switch (random.nextInt(20)) {
      case 0, 1, 2, 3, 4, 5, 6 -> place(memory);
      case 7, 8 -> extend(memory);
      case 9, 10 -> release(memory);
      case 11 -> expire(memory);
      case 12 -> sweep(memory);
      case 13 -> sell(memory);
      case 14 -> random.nextInt(20) == 0 ? seedAnew(memory) : place(memory);
      case 15 -> move(memory, random.nextInt(20) == 0 ? 70_000 : 0);
      default -> move(memory, random.nextInt(300));
    };
  }

  private String place(HoldMemory memory) {
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
    var fresh = new Wish(oneOf(REQUESTERS), 1 + random.nextInt(1_500), 1_200, 2, asked);
    var wish = random.nextInt(3) > 0 ? wishes.getOrDefault(named.token(), fresh) : fresh;
    wishes.put(named.token(), wish);
    var call = named.under(wish.digest());

    var answer =
        memory.call(
            "hold/place",
            List.of("meta", "tok:" + call.key(), "journal"),
            with(
                call,
                Stream.concat(
                    Stream.of(wish.requester(), wish.leaseMs(), wish.windowMs(), wish.holdsMax()),
                    Stream.concat(Stream.of(call.salt()), wish.items().stream()))));

    var word = same(answer, model.place(call, wish));
    if (word.equals("HELD")) {
      fences.add(model.holds.lastKey());
    }
    return word;
  }

  private void replace(List<String> asked, ModelHold hold) {
    asked.clear();
    asked.addAll(hold.wish.items());
    Collections.shuffle(asked, random);
  }

  private String extend(HoldMemory memory) {
    var fence = someFence();
    var caller = usual(fence, hold -> hold.call.caller(), CALLERS);
    var requester = usual(fence, hold -> hold.wish.requester(), REQUESTERS);
    var known = random.nextInt(10) == 0 ? fence - 1 : fence;

    var answer =
        memory.call(
            "hold/extend",
            List.of("meta", "hold:" + fence),
            caller,
            saltOf(fence),
            requester,
            known);

    if (known != fence && answer.equals(List.of("STALE_FENCE"))) {
      return "STALE";
    }
    return known == fence ? same(answer, model.extend(caller, fence, requester)) : "REFUSED";
  }

  private String release(HoldMemory memory) {
    var fence = someFence();
    var requester = usual(fence, hold -> hold.wish.requester(), REQUESTERS);
    var salt = random.nextInt(20) == 0 ? "wrong" : saltOf(fence);
    var call = call("release");

    var answer = end(memory, call, fence, salt, requester);

    return same(answer, model.release(call, fence, salt, requester));
  }

  private String expire(HoldMemory memory) {
    var fence = someFence();
    var isForced = random.nextInt(3) == 0;
    var call = call("expire");

    var answer = end(memory, call, fence, saltOf(fence), isForced ? "force" : "");

    return same(answer, model.expire(call, fence, isForced));
  }

  private static List<Object> end(
      HoldMemory memory, Call call, long fence, String salt, String last) {
    return memory.call(
        "hold/" + call.action(),
        List.of("meta", "tok:" + call.key(), "journal", "hold:" + fence),
        with(call, Stream.of(salt, last)));
  }

  private String sweep(HoldMemory memory) {
    var count = 1 + random.nextInt(4);
    var answer = memory.call("hold/sweep", List.of("meta", "journal", "due"), count);
    return same(answer, model.sweep(count));
  }

  private String sell(HoldMemory memory) {
    var item = oneOf(ITEMS);
    if (!model.sold.remove(item) && model.sold.size() < 2) {
      model.sold.add(item);
    }
    memory.sell(item, model.sold.contains(item) ? "7 SOLD" : "8");
    return "SOLD";
  }

  private String move(HoldMemory memory, long ms) {
    memory.forget(model.move(ms));
    memory.setClock(model.now);
    return "MOVED";
  }

  /// Either the server was started again with all that it knew, or with nothing.
  private String seedAnew(HoldMemory memory) {
    var isLost = random.nextBoolean();
    model.epoch++;
    model.seq = 0;
    model.version = 0;
    if (isLost) {
      memory.loseAll();
      memory.setClock(model.now);
      model.holds.values().removeIf(hold -> !hold.isHeld());
      model.holders.clear();
      model.entries.clear();
    }
    new ModelSeeding(model, memory, isLost).open();
    return isLost ? "LOST" : "RESTARTED";
  }

  private Call call(String action) {
    if (!calls.isEmpty() && random.nextInt(12) == 0) {
      var earlier = calls.get(Math.max(0, calls.size() - 1 - random.nextInt(5)));
      return new Call(action, earlier.caller(), earlier.token(), earlier.digest());
    }
    calls.add(new Call(action, oneOf(CALLERS), "tok-" + calls.size(), "1:" + random.nextInt(2)));
    return calls.getLast();
  }

  private static Object[] with(Call call, Stream<?> others) {
    return Stream.concat(
            Stream.of(call.caller(), call.token(), call.digest(), HoldModel.TOKEN_WINDOW_MS),
            others)
        .toArray();
  }

  private static String same(List<Object> answer, List<Object> expected) {
    assertThat(answer).isEqualTo(expected);
    return (String) answer.getFirst();
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
