package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.HoldPlaceExamples.call;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

/// A call sees what those before it in its batch have done.
final class HoldPlaceBatches implements ScriptExamples {

  @Override
  public String script() {
    return "hold/place";
  }

  @Override
  public List<ScriptExample> examples() {
    return List.of(
        apart(), item(), sameHold(), token(), collision(), requester(), lapsed(), lastFence());
  }

  private static ScriptExample apart() {
    return batch("two items of two requesters")
        .andCalls(call("tok-1", "u1", "A-1"))
        .andCalls(call("tok-2", "u2", "A-2", "A-3"))
        .after(Arena.open().commands())
        .answers("HELD", held(13, "u1", "tok-1", "A-1"))
        .andAnswers("HELD", held(14, "u2", "tok-2", "A-2\nA-3"))
        .andThen("REPLAY")
        .leaving("ZCARD " + Arena.DUE, "2")
        .leaving(aHold(14).record(), held(14, "u2", "tok-2", "A-2\nA-3"))
        .leaving("HMGET %s seq held version lines".formatted(Arena.META), "14, 3, 22, 42")
        .leaving(
            Arena.ENTRIES,
            Arena.entryOf(
                Arena.line("place_hold", "tok-1", "HELD\t" + held(13, "u1", "tok-1", "A-1")),
                Arena.line("place_hold", "tok-2", "HELD\t" + held(14, "u2", "tok-2", "A-2\nA-3"))));
  }

  private static ScriptExample item() {
    return batch("one item by two requesters, and by a third one with another")
        .andCalls(call("tok-1", "u1", "A-1"))
        .andCalls(call("tok-2", "u2", "A-1"))
        .andCalls(call("tok-3", "u3", "A-1", "A-2"))
        .after(Arena.open().commands())
        .answers("HELD")
        .andAnswers("TAKEN", "A-1")
        .andAnswers("TAKEN", "A-1")
        .andThen("REPLAY")
        .leaving("GET " + Arena.item("A-1"), fence(13))
        .leaving("EXISTS " + Arena.item("A-2"), "0")
        .leaving("HMGET %s seq held version lines".formatted(Arena.META), "13, 1, 21, 43")
        .leaving(Arena.REQUESTERS, "shop\tu1, 1");
  }

  private static ScriptExample sameHold() {
    return batch("its own items under another token")
        .andCalls(call("tok-1", "u1", "A-1", "A-2"))
        .andCalls(call("tok-2", "u1", "A-2", "A-1"))
        .after(Arena.open().commands())
        .answers("HELD", held(13, "u1", "tok-1", "A-1\nA-2"))
        .andAnswers("SAME", held(13, "u1", "tok-1", "A-1\nA-2"))
        .andThen("REPLAY")
        .leaving(Arena.REQUESTERS, "shop\tu1, 1")
        .leaving(Arena.count("held"), "2");
  }

  private static ScriptExample token() {
    return batch("one token twice")
        .andCalls(call("tok-1", "u1", "A-1"))
        .andCalls(call("tok-1", "u1", "A-1"))
        .after(Arena.open().commands())
        .answers("HELD", held(13, "u1", "tok-1", "A-1"))
        .andAnswers("REPLAY", "HELD", held(13, "u1", "tok-1", "A-1"))
        .andThen("REPLAY")
        .leaving(Arena.count("lines"), "41")
        .leaving(Arena.count("held"), "1");
  }

  private static ScriptExample collision() {
    var other = call("tok-1", "u2", "A-2");
    other[2] = CommonExamples.OTHER_DIGEST;
    return batch("one token for two things")
        .andCalls(call("tok-1", "u1", "A-1"))
        .andCalls(other)
        .after(Arena.open().commands())
        .answers("HELD")
        .andAnswers("COLLISION")
        .andThen("REPLAY", "COLLISION")
        .leaving("EXISTS " + Arena.item("A-2"), "0")
        .leaving(Arena.count("lines"), "41");
  }

  private static ScriptExample requester() {
    return batch("one hold more than a requester may have")
        .andCalls(call("tok-1", "u1", "A-1"))
        .andCalls(call("tok-2", "u1", "A-2"))
        .andCalls(call("tok-3", "u1", "A-3"))
        .after(Arena.open().commands())
        .answers("HELD")
        .andAnswers("HELD")
        .andAnswers("LIMIT", "2")
        .andThen("REPLAY")
        .leaving("EXISTS " + Arena.item("A-3"), "0")
        .leaving(Arena.REQUESTERS, "shop\tu1, 2");
  }

  private static ScriptExample lapsed() {
    var lapsed = aHold(3, "A-1", "A-2").lapsed();
    return batch("both items of a lapsed hold, by its requester and by another one")
        .andCalls(call("tok-1", "u1", "A-1"))
        .andCalls(call("tok-2", "u2", "A-2"))
        .after(Arena.open().with(lapsed).commands())
        .answers("HELD")
        .andAnswers("HELD")
        .andThen("REPLAY")
        .leaving(lapsed.record(), lapsed.ended("EXPIRED", "LEASE").text())
        .leaving("HMGET %s held version lines".formatted(Arena.META), "2, 23, 43")
        .leaving("HGET %s who:shop\tu1".formatted(Arena.META), "1")
        .leaving("HGET %s who:shop\tu2".formatted(Arena.META), "1");
  }

  private static ScriptExample lastFence() {
    return batch("the last fence of an epoch, and none")
        .andCalls(call("tok-1", "u1", "A-1"))
        .andCalls(call("tok-2", "u2", "A-2"))
        .after(Arena.open(Arena.EPOCH, 4294967294L).commands())
        .answers("HELD")
        .andAnswers("UNSEEDED", "FULL")
        .andThen("REPLAY", "UNSEEDED")
        .leaving(Arena.token("tok-2"), "nothing")
        .leaving("EXISTS " + Arena.item("A-2"), "0");
  }

  private static ScriptExample batch(String title) {
    return example(title).arguments(Arena.OURS, "1800000", "2", "REFUSE");
  }

  private static String held(int number, String requester, String token, String items) {
    return "HELD\t%s\t%s\tshop\t%s\t<moment>\t<moment>\t<moment>\t600000\t\t\t0\t%s\t%s\t\t"
        .formatted(fence(number), AHold.SALT, requester, token, items);
  }

  private static String fence(int number) {
    return String.valueOf(Arena.fence(number));
  }
}
