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

  private static ScriptExample settle(
      String title, String outcome, String record, String... entries) {
    var head = Stream.of(Arena.OURS, "shop", "tok-1", DIGEST, "60000", "confirm", outcome, record);
    return example(title)
        .keys(Arena.META, Arena.token("tok-1"), Arena.JOURNAL, PINNED.key())
        .arguments(Stream.concat(head, Stream.of(entries)).toArray(String[]::new));
  }
}
