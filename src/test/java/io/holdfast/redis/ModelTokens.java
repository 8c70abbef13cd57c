package io.holdfast.redis;

import module java.base;

/// The tokens of the model: in buckets of a window each, of which the last two have all that count.
final class ModelTokens {
  static final long WINDOW_MS = 5_000;
  private static final int WINDOWS_OF_LIFE = 4;
  private static final int QUANTITY = 15;

  final SortedMap<Long, Map<String, Entry>> buckets = new TreeMap<>();
  private final Map<Long, Long> ends = new HashMap<>();

  record Entry(long recordedAt, String action, String digest, String outcome) {

    /// As Redis keeps it: of a hold of items that was placed only fence and salt.
    String text() {
      var fields = outcome.split("\t", -1);
      var kept =
          fields[0].equals("HELD") && fields[QUANTITY].isEmpty()
              ? "HELD\t%s\t%s".formatted(fields[2], fields[3])
              : outcome;
      return "%d\t%s\t%s\t%s".formatted(recordedAt, action, digest, kept);
    }
  }

  /// What a call under a token that was used is answered with.
  Optional<String> answer(ModelHold.Call call, long now) {
    return find(call.key(), now)
        .map(
            seen ->
                seen.action().equals(call.action()) && seen.digest().equals(call.digest())
                    ? "REPLAY\t" + seen.outcome()
                    : "COLLISION");
  }

  private Optional<Entry> find(String key, long now) {
    return Stream.of(0, 1)
        .map(back -> buckets.getOrDefault(now / WINDOW_MS - back, Map.of()).get(key))
        .filter(Objects::nonNull)
        .findFirst()
        .filter(entry -> now - entry.recordedAt() < WINDOW_MS);
  }

  void keep(String key, Entry entry) {
    var bucket = entry.recordedAt() / WINDOW_MS;
    buckets.computeIfAbsent(bucket, _ -> new HashMap<>()).put(key, entry);
    ends.putIfAbsent(bucket, entry.recordedAt() + WINDOWS_OF_LIFE * WINDOW_MS);
  }

  void sweep(long now) {
    Stream.of(2, 3).forEach(back -> remove(now / WINDOW_MS - back));
  }

  /// When the buckets that the sweep leaves can go.
  LongStream next(long now) {
    return LongStream.of(0, 1)
        .map(back -> now / WINDOW_MS - back)
        .filter(buckets::containsKey)
        .map(bucket -> (bucket + 2) * WINDOW_MS);
  }

  /// The buckets whose TTL is over.
  Stream<Long> expire(long now) {
    var over = ends.keySet().stream().filter(bucket -> ends.get(bucket) <= now).toList();
    over.forEach(this::remove);
    return over.stream();
  }

  void clear() {
    buckets.clear();
    ends.clear();
  }

  private void remove(long bucket) {
    buckets.remove(bucket);
    ends.remove(bucket);
  }
}
