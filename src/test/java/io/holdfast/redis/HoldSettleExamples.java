package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.CommonExamples.DIGEST;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;
import java.util.stream.Stream;

final class HoldSettleExamples implements ScriptExamples {
  private static final AHold PINNED = aHold(3, "A-1", "A-2").pinned(1);
  private static final String SOLD = PINNED.ended("CONFIRMED", "").text();
  private static final String RUNNING =
      "SET %s %s PX 50000".formatted(Arena.token("tok-1"), "confirm\t" + DIGEST + "\tRUNNING\t");

  @Override
  public String script() {
    return "hold/settle";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        List.of(sold(), again(), regranted(), relayed(), refusal(), released(), older(), lost()),
        List.of(several(PINNED, aHold(4, "A-4").pinned(1)), several(PINNED, PINNED)),
        CommonExamples.ofUnseeded(title -> settle(title, "CONFIRMED\t" + SOLD, SOLD)));
  }

  private static ScriptExample sold() {
    return settle("a sale", "CONFIRMED\t" + SOLD, SOLD, "A-1", "1 SOLD", "A-2", "1 SOLD")
        .after(Arena.open().with(PINNED, aHold(4, "A-4")).having(RUNNING).commands())
        .answers("SETTLED")
        .leaving("GET " + PINNED.key(), SOLD)
        .leaving(
            "GET " + Arena.token("tok-1"), "confirm\t%s\tCONFIRMED\t%s".formatted(DIGEST, SOLD))
        .leaving("EXISTS %s %s".formatted(Arena.item("A-1"), Arena.item("A-2")), "0")
        .leaving("HMGET %s item:A-1 item:A-2".formatted(Arena.META), "1 SOLD, 1 SOLD")
        .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), String.valueOf(Arena.fence(4)))
        .leaving("HMGET %s held sold version".formatted(Arena.META), "1, 2, 23")
        .leaving(Arena.REQUESTERS, "shop\tu1, 1")
        .leaving(
            "XRANGE %s - +".formatted(Arena.JOURNAL),
            "<id>, line, 7\t<moment>\tconfirm\tshop\ttok-1\t%s\t60000\tCONFIRMED\t%s"
                .formatted(DIGEST, SOLD));
  }

  private static ScriptExample regranted() {
    var theirs = String.valueOf(Arena.fence(9));
    return settle("a sale whose hold has lost an item to somebody else here", "", SOLD)
        .after(
            Arena.open()
                .with(PINNED)
                .having("SET %s %s".formatted(Arena.item("A-2"), theirs))
                .commands())
        .answers("SETTLED")
        .leaving("GET " + Arena.item("A-2"), theirs)
        .leaving("EXISTS " + Arena.item("A-1"), "0");
  }

  private static ScriptExample again() {
    return settle("a sale of which the hold knows already", "", SOLD, "A-1", "1 SOLD")
        .after(Arena.open().with(PINNED.ended("CONFIRMED", "")).commands())
        .answers("SETTLED")
        .leaving("HGET %s item:A-1".formatted(Arena.META), "1 SOLD")
        .leaving("EXISTS " + Arena.JOURNAL, "0");
  }

  private static ScriptExample relayed() {
    return settle("a sale whose caller is not known any more", "", SOLD, "A-1", "1 SOLD")
        .after(Arena.open().with(PINNED).commands())
        .answers("SETTLED")
        .leaving("EXISTS " + Arena.token("tok-1"), "0")
        .leaving(
            "XRANGE %s - +".formatted(Arena.JOURNAL),
            "<id>, line, 7\t<moment>\t\t\t\t\t\tCONFIRMED\t" + SOLD);
  }

  private static ScriptExample refusal() {
    return settle("a refusal", "NONCE_UNBOUND\t", "")
        .after(Arena.open().with(PINNED).having(RUNNING).commands())
        .answers("SETTLED")
        .leaving("GET " + PINNED.key(), PINNED.text())
        .leaving("GET " + Arena.token("tok-1"), "confirm\t%s\tNONCE_UNBOUND\t".formatted(DIGEST))
        .leaving(
            "XRANGE %s - +".formatted(Arena.JOURNAL),
            "<id>, line, 7\t<moment>\tconfirm\tshop\ttok-1\t%s\t60000\tNONCE_UNBOUND\t"
                .formatted(DIGEST));
  }

  private static ScriptExample released() {
    var ended = PINNED.ended("RELEASED", "").text();
    return settle("a release that Postgres had to decide", "", ended)
        .after(Arena.open().with(PINNED).commands())
        .answers("SETTLED")
        .leaving("GET " + PINNED.key(), ended)
        .leaving(Arena.REQUESTERS, "")
        .leaving("HMGET %s held version".formatted(Arena.META), "0, 21");
  }

  private static ScriptExample older() {
    return settle("an item of which a higher version is there", "", "", "A-3", "4 SOLD")
        .after(Arena.open().commands())
        .answers("SETTLED")
        .leaving("HGET %s item:A-3".formatted(Arena.META), "5");
  }

  private static ScriptExample lost() {
    return settle("a sale of a hold that this memory has lost", "", SOLD, "A-1", "1 SOLD")
        .after(Arena.open().commands())
        .answers("SETTLED")
        .leaving("EXISTS %s %s".formatted(PINNED.key(), Arena.JOURNAL), "0")
        .leaving("HGET %s item:A-1".formatted(Arena.META), "1 SOLD");
  }

  /// A sale, and a refusal and a sale of another requester's hold or of the same one.
  private static ScriptExample several(AHold first, AHold last) {
    var isTwice = first == last;
    var end = last.ended("CONFIRMED", "").text();
    var item = isTwice ? "A-1" : "A-4";
    var one = head("tok-1", "CONFIRMED\t" + SOLD, SOLD, "A-1", "1 SOLD", "A-2", "1 SOLD");
    var refusal = head("tok-2", "NONCE_UNBOUND\t", "");
    var other = head("tok-3", "CONFIRMED\t" + end, end, item, "1 SOLD");
    return example(isTwice ? "two sales of one hold in one call" : "several decisions in one call")
        .keys(
            Arena.META,
            Arena.token("tok-1"),
            Arena.JOURNAL,
            first.key(),
            Arena.token("tok-2"),
            first.key(),
            Arena.token("tok-3"),
            last.key())
        .arguments(
            Stream.of(Stream.of(Arena.OURS), one, Stream.of(""), refusal, Stream.of(""), other)
                .flatMap(part -> part)
                .toArray(String[]::new))
        .after((isTwice ? Arena.open().with(first) : Arena.open().with(first, last)).commands())
        .answers("SETTLED")
        .leaving("GET " + first.key(), SOLD)
        .leaving("GET " + last.key(), end)
        .leaving("GET " + Arena.token("tok-2"), "confirm\t%s\tNONCE_UNBOUND\t".formatted(DIGEST))
        .leaving("EXISTS %s %s".formatted(Arena.item("A-1"), Arena.item("A-4")), "0")
        .leaving("ZCARD " + Arena.DUE, "0")
        .leaving(
            "HMGET %s held sold version".formatted(Arena.META), isTwice ? "0, 2, 23" : "0, 3, 25")
        .leaving(Arena.REQUESTERS, "")
        .leaving("XLEN " + Arena.JOURNAL, "3");
  }

  private static Stream<String> head(
      String token, String outcome, String record, String... entries) {
    return Stream.concat(
        Stream.of("shop", token, DIGEST, "60000", "confirm", outcome, record), Stream.of(entries));
  }

  private static ScriptExample settle(
      String title, String outcome, String record, String... entries) {
    var decision = head("tok-1", outcome, record, entries);
    return example(title)
        .keys(Arena.META, Arena.token("tok-1"), Arena.JOURNAL, PINNED.key())
        .arguments(Stream.concat(Stream.of(Arena.OURS), decision).toArray(String[]::new));
  }
}
