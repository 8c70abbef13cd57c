package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.holdfast.redis.ModelHold.Call;
import io.holdfast.redis.ModelHold.Wish;
import io.holdfast.redis.StockLedger.Decision;

/// Random calls on a pool of units, in batches of random size, each answered as the model answers
/// one call after the other, and with the same things in both afterwards. `HOLDFAST_TEST_SEED` in
/// the environment repeats a run.
final class RandomStockCalls {
  private static final int STEPS = 3_000;
  private static final int TRIM_EVERY = 50;
  private static final int BATCH_MAX = 6;
  private static final int CAPACITY = 14;
  private static final int QUANTITY_MAX = 4;
  private static final int HOLD_MS = 1_200;
  private static final int HOLDS_MAX = 2;
  private static final List<String> CALLERS = List.of("shop", "fair");
  private static final List<String> REQUESTERS = List.of("u1", "u 2", "%s[");
  private static final List<String> METADATA = List.of("", "{\"a\":\"b c\"}");

  private final long seed =
      Optional.ofNullable(System.getenv("HOLDFAST_TEST_SEED"))
          .map(Long::valueOf)
          .orElseGet(System::nanoTime);
  private final Random random = new Random(seed);
  private final StockModel model = new StockModel(CAPACITY, 1_800_000_000_000L);
  private final StockLedger ledger = new StockLedger(CAPACITY);
  private final boolean isInOrder;
  private final RedisMemory memory;
  private final List<Decision> untold = new ArrayList<>();
  private final List<Call> calls = new ArrayList<>();
  private final List<Long> fences = new ArrayList<>(List.of(99L));
  private final Map<String, Wish> wishes = new HashMap<>();
  private final SortedMap<String, Integer> words = new TreeMap<>();
  private int pins;

  /// @param isInOrder whether Redis is told of the ledger's decisions in their order, and of each
  ///   again at any time, or in any order
  RandomStockCalls(RedisMemory memory, boolean isInOrder) {
    this.memory = memory;
    this.isInOrder = isInOrder;
  }

  /// Counts of the outcomes.
  Map<String, Integer> run() {
    System.out.println("HOLDFAST_TEST_SEED=" + seed);
    memory.loseAll();
    memory.setClock(model.now);
    new StockSeeding(model, ledger, memory, true).open();
    for (var i = 1; i <= STEPS; i++) {
      step().forEach(word -> words.merge(word, 1, Integer::sum));
      assertRulesAreKept();
      if (i % TRIM_EVERY == 0) {
        trim();
      }
    }
    System.out.println(words);
    return words;
  }

  private List<String> step() {
    return switch (random.nextInt(24)) {
      case 0, 1, 2, 3, 4, 5 -> batch("hold/take", this::take, HOLD_MS, HOLDS_MAX);
      case 6 -> batch("hold/release", this::release);
      case 7 -> batch("hold/expire", this::expire);
      case 8, 9, 10 ->
          batch("hold/pin", this::pin, StockModel.PIN_MS, StockModel.SKEW_MS, StockModel.GRACE_MS);
      case 11 -> batch("hold/unpin", this::unpin);
      case 12, 13 -> decide();
      case 14, 15, 16 ->
          ledger.decisions.isEmpty() ? List.of() : batch("hold/settle", this::settle);
      case 17 -> sweep();
      case 18 -> random.nextInt(4) == 0 ? seedAnew() : move();
      default -> move();
    };
  }

  /// A call of a batch, and what the model has answered to it.
  private record Asked(Stream<?> texts, String expected) {}

  private List<String> batch(String script, Supplier<Asked> call, Object... header) {
    var asked = Stream.generate(call).limit(1 + random.nextInt(BATCH_MAX)).toList();
    var arguments = Stream.concat(Stream.of(header), asked.stream().flatMap(Asked::texts));
    return same(
        memory.call(script, arguments.toArray()), asked.stream().map(Asked::expected).toList());
  }

  private Asked take() {
    var named = call("place_hold");
    var quantity = 1 + random.nextInt(QUANTITY_MAX);
    var lease = 1 + random.nextInt(1_500);
    var fresh =
        new Wish(
            oneOf(REQUESTERS), lease, HOLD_MS, HOLDS_MAX, List.of(), quantity, oneOf(METADATA));
    var wish = random.nextInt(3) > 0 ? wishes.getOrDefault(named.token(), fresh) : fresh;
    wishes.put(named.token(), wish);
    var call = named.under(wish.digest());
    var expected = model.take(call, wish);
    if (expected.startsWith("HELD\t")) {
      fences.add(model.holds.lastKey());
    }
    return asked(
        call,
        expected,
        wish.requester(),
        wish.leaseMs(),
        call.salt(),
        wish.quantity(),
        wish.metadata(),
        "");
  }

  private Asked release() {
    var fence = someFence();
    var requester = requesterOf(fence);
    var call = call("release");
    return asked(call, model.release(call, fence, requester), fence, saltOf(fence), requester);
  }

  private Asked expire() {
    var fence = someFence();
    var isForced = random.nextInt(3) == 0;
    var call = call("expire");
    var expected = model.expire(call, fence, isForced);
    return asked(call, expected, fence, saltOf(fence), isForced ? "force" : "");
  }

  private Asked pin() {
    var fence = someFence();
    var hold = model.holds.get(fence);
    var caller = hold == null ? "shop" : hold.call.caller();
    var requester = hold == null ? "u1" : hold.wish.requester();
    var call = new Call("confirm", caller, "pin-" + pins++, "1:0");
    return asked(call, model.pin(call, fence), fence, saltOf(fence), requester, fence);
  }

  /// The ledger invalidates a pin only if it has not sold the hold.
  private Asked unpin() {
    var hold = someHold(each -> each.isPinned() && !ledger.isDecided(each));
    var fence = hold.map(each -> each.fence).orElse(99L);
    var isRight = random.nextInt(4) > 0;
    var pinNo = hold.map(each -> isRight ? each.pinNo : each.pinNo + 2).orElse(1L);
    return new Asked(Stream.of(fence, pinNo, pinNo + 1), model.unpin(fence, pinNo));
  }

  private List<String> decide() {
    var before = ledger.decisions.size();
    var hold = someHold(each -> each.isPinned() && !ledger.isDecided(each));
    if (hold.isEmpty() || random.nextInt(4) == 0) {
      ledger.reverse(1 + random.nextInt(QUANTITY_MAX));
    } else if (random.nextInt(4) == 0) {
      ledger.release(hold.get(), model.now, random.nextBoolean());
    } else {
      var units = hold.get().wish.quantity();
      ledger.sell(hold.get(), random.nextBoolean() ? units : 1 + random.nextInt(units), model.now);
    }
    untold.addAll(ledger.decisions.subList(before, ledger.decisions.size()));
    return List.of("DECIDED");
  }

  /// One that Redis has not been told of, or any other.
  private Asked settle() {
    var decision = someDecision();
    var texts =
        Stream.of("shop", "none", "1:0", 0, "confirm", "", decision.fence(), decision.record());
    return new Asked(Stream.concat(texts, Stream.of(decision.items())), model.settle(decision));
  }

  private Decision someDecision() {
    var told = ledger.decisions.size() - (isInOrder ? untold.size() : 0);
    return told == 0 || !untold.isEmpty() && random.nextInt(3) > 0
        ? untold.remove(isInOrder ? 0 : random.nextInt(untold.size()))
        : ledger.decisions.get(Math.max(0, told - 1 - random.nextInt(12)));
  }

  private static Asked asked(Call call, String expected, Object... others) {
    var first = Stream.of(call.caller(), call.token(), call.digest());
    return new Asked(Stream.concat(first, Stream.of(others)), expected);
  }

  private List<String> sweep() {
    var count = 1 + random.nextInt(4);
    return same(memory.call("hold/sweep", count), model.sweep(count));
  }

  private List<String> move() {
    memory.forget(model.move(random.nextInt(300)));
    memory.setClock(model.now);
    return List.of("MOVED");
  }

  /// Either the server was started again with all that it knew, or with nothing. The ledger knows
  /// all holds by then.
  private List<String> seedAnew() {
    var isLost = random.nextBoolean();
    model.epoch++;
    model.seq = 0;
    model.version = 0;
    model.lines = 0;
    if (isLost) {
      memory.loseAll();
      memory.setClock(model.now);
      model.holds.values().removeIf(hold -> !hold.isHeld());
      model.tokens.clear();
    }
    new StockSeeding(model, ledger, memory, isLost).open();
    if (isInOrder) {
      untold.clear(); // the entry that was loaded is newer
    }
    return List.of(isLost ? "LOST" : "RESTARTED");
  }

  /// As `journal/trim` does when the ends of holds have reached Postgres.
  private void trim() {
    assertThat(memory.ends()).doesNotHaveDuplicates();
    var ended = model.holds.values().stream().filter(hold -> !hold.isHeld()).toList();
    assertThat(memory.ends()).containsAll(ended.stream().map(hold -> hold.fence).toList());
    memory.dropRecords(ended.stream().map(hold -> String.valueOf(hold.fence)));
    model.holds.values().removeAll(ended);
  }

  private void assertRulesAreKept() {
    memory.assertIsAs(model);
    var meta = memory.hash("meta");
    var live =
        memory.hash("holds").values().stream()
            .map(record -> record.split("\t", -1))
            .filter(record -> record[0].equals("HELD"))
            .mapToLong(record -> Long.parseLong(record[14]))
            .sum();
    assertThat(meta).containsEntry("held", String.valueOf(live));
    assertThat(meta.get("item:stock")).endsWith(" %s/%d".formatted(meta.get("sold"), CAPACITY));
    assertNothingIsOversold(Long.parseLong(meta.get("sold")), live);
  }

  /// The units of a hold that the ledger has sold count twice in Redis, as sold and as held, from
  /// the moment that a later sale is told of until its own. So Redis offers less than there is, and
  /// never more.
  private void assertNothingIsOversold(long sold, long live) {
    var undecided = model.held().filter(hold -> !ledger.isDecided(hold));
    var granted = undecided.mapToLong(hold -> hold.wish.quantity()).sum();
    assertThat(ledger.sold() + granted).isLessThanOrEqualTo(CAPACITY);
    var twice = model.held().mapToLong(hold -> ledger.soldOf(hold, model.stockVersion)).sum();
    assertThat(CAPACITY - sold - live).isGreaterThanOrEqualTo(isInOrder ? 0 : -twice);
  }

  private Call call(String action) {
    if (!calls.isEmpty() && random.nextInt(8) == 0) {
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

  private Optional<ModelHold> someHold(Predicate<ModelHold> kind) {
    var found = model.held().filter(kind).toList();
    return found.isEmpty() ? Optional.empty() : Optional.of(oneOf(found));
  }

  private long someFence() {
    return someHold(_ -> random.nextInt(8) > 0)
        .map(hold -> hold.fence)
        .orElseGet(() -> fences.get(Math.max(0, fences.size() - 1 - random.nextInt(9))));
  }

  private String saltOf(long fence) {
    var hold = model.holds.get(fence);
    return hold == null ? "none" : hold.salt();
  }

  private String requesterOf(long fence) {
    var hold = model.holds.get(fence);
    return hold == null || random.nextInt(8) == 0 ? oneOf(REQUESTERS) : hold.wish.requester();
  }

  private <T> T oneOf(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }
}
