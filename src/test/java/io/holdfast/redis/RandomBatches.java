package io.holdfast.redis;

import module java.base;

/// Random batches of calls to each script that takes many of them. They are about few tokens, holds
/// and items, so many calls of one batch are about the same ones.
final class RandomBatches {
  static final List<String> ITEMS = List.of("A-1", "A-2", "A-3", "A-4", "B-1", "B-2", "B-3");
  static final String EPOCH = "7";
  static final int WINDOW_MS = 5_000;

  private static final String ROWS = "|A-1\nA-2\nA-3\nA-4\u001e|B-1\nB-2\nB-3";
  private static final String UNKNOWN = "C-1";
  private static final String SALT = "salt";
  private static final int CALLS_MAX = 10;
  private static final int A_FEW = 4;

  private final Random random;
  private int calls;
  private int holds = 1;

  RandomBatches(Random random) {
    this.random = random;
  }

  /// @param header what all calls of the script share
  record Batch(String script, List<String> header, List<List<String>> calls) {}

  private record Kind(String script, List<String> header, Function<Long, List<String>> call) {}

  Batch next(long now) {
    var kinds =
        List.of(
            new Kind("hold/place", List.of("3000", "2", oneOf("REFUSE", "CREATE")), _ -> place()),
            new Kind("hold/best", List.of("3000", "2", "" + ITEMS.size(), "0"), _ -> best()),
            new Kind("hold/extend", List.of(), _ -> extend()),
            new Kind("hold/release", List.of(), _ -> onHold(requester())),
            new Kind("hold/expire", List.of(), _ -> onHold(oneOf("", "force"))),
            new Kind("hold/refuse", List.of(), _ -> refuse()),
            new Kind("hold/pin", List.of("2000", "100", "500"), _ -> pin()),
            new Kind("hold/unpin", List.of(), _ -> unpin()),
            new Kind("hold/keep", List.of(), moment -> keep(moment)),
            new Kind("hold/settle", List.of(), _ -> settle()),
            new Kind("hold/read", List.of(), _ -> List.of(fence() + "\n" + fence())),
            new Kind("hold/lookup", List.of(), _ -> List.of("shop", token())));
    var kind = random.nextInt(3) == 0 ? kinds.getFirst() : oneOf(kinds);
    var batch =
        Stream.generate(() -> kind.call.apply(now)).limit(1 + random.nextInt(CALLS_MAX)).toList();
    return new Batch(kind.script, kind.header, batch);
  }

  void placed(long count) {
    holds += (int) count;
  }

  private List<String> place() {
    var items = new ArrayList<>(ITEMS);
    Collections.shuffle(items, random);
    if (random.nextInt(8) == 0) {
      items.addFirst(UNKNOWN);
    }
    var asked = String.join("\n", items.subList(0, 1 + random.nextInt(2)));
    return List.of("shop", token(), digest(), requester(), lease(), SALT, asked, metadata(), "");
  }

  private List<String> best() {
    var manner = oneOf("GOOD", "ANY", "LAST");
    var wanted = "" + (1 + random.nextInt(3));
    var known = Arena.EPOCH + " " + random.nextInt(6);
    return List.of(
        "shop",
        token(),
        digest(),
        requester(),
        lease(),
        SALT,
        wanted,
        known,
        manner,
        ROWS,
        metadata(),
        "");
  }

  private List<String> extend() {
    var fence = fence();
    return List.of("shop", fence, SALT, requester(), random.nextInt(8) == 0 ? fence() : fence);
  }

  private List<String> onHold(String last) {
    var salt = random.nextInt(8) == 0 ? "other" : SALT;
    return List.of("shop", token(), digest(), fence(), salt, last);
  }

  private List<String> refuse() {
    var action = oneOf("place_hold", "release", "confirm");
    return List.of("shop", token(), digest(), action, "INVALID\titems");
  }

  private List<String> pin() {
    var fence = fence();
    return List.of("shop", token(), digest(), fence, SALT, requester(), fence);
  }

  private List<String> unpin() {
    var pin = 1 + 2 * random.nextInt(2);
    return List.of(fence(), "" + pin, "" + (pin + 1));
  }

  private List<String> keep(long now) {
    return List.of(fence(), "" + random.nextInt(A_FEW), "" + (now + random.nextInt(2_000)));
  }

  private List<String> settle() {
    var fence = fence();
    var end = "CONFIRMED\t%s\tsalt\tshop\tu1\t1\t2\t3\t4\t5\t\t1\tt\tA-1\t\t".formatted(fence);
    var record = oneOf("", end, end);
    var outcome = oneOf("", "NONCE_UNBOUND\t", record.isEmpty() ? "NOT_HELD" : "CONFIRMED\t" + end);
    var value = calls / 20 + random.nextInt(A_FEW) + oneOf(" SOLD", " CLAIMED", "", "", "");
    var items = oneOf("", oneOf(ITEMS) + "\t" + value);
    var left = "" + random.nextInt(WINDOW_MS);
    return List.of("shop", token(), digest(), left, "confirm", outcome, fence, record, items);
  }

  /// One of a few, which are others after a while.
  private String token() {
    return "t" + (calls++ / 2 + random.nextInt(A_FEW));
  }

  private String digest() {
    return random.nextInt(12) == 0 ? "1:other" : random.nextInt(20) == 0 ? "2:x" : "1:x";
  }

  private String requester() {
    return oneOf("u1", "u2");
  }

  private String metadata() {
    return oneOf("", "{\"a\":1}");
  }

  private String lease() {
    return "" + (1 + random.nextInt(4_000));
  }

  /// That of one of the latest holds.
  private String fence() {
    var number = Math.max(1, holds - random.nextInt(8));
    return "" + ((Long.parseLong(EPOCH) << 32) + number);
  }

  @SafeVarargs
  private <T> T oneOf(T... values) {
    return values[random.nextInt(values.length)];
  }

  private <T> T oneOf(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }
}
