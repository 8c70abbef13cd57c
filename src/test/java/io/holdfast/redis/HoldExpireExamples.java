package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.AHold.aHoldOf;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class HoldExpireExamples implements ScriptExamples {
  private static final AHold HOLD = aHold(3, "A-1", "A-2").by("other", "u2");

  @Override
  public String script() {
    return "hold/expire";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        expired(),
        pinned(),
        refused(),
        List.of(twice(), units(), forcedUnits()),
        CommonExamples.ofToken("expire", title -> expire(title, AHold.SALT, "")),
        CommonExamples.ofUnseeded(title -> expire(title, AHold.SALT, "")));
  }

  private static List<ScriptExample> expired() {
    return List.of(
        ends("a lapsed hold", HOLD.lapsed(), "", "LEASE"),
        ends("a hold past its window", HOLD.pastItsWindow(), "", "WINDOW"),
        ends("a lapsed hold, by needless force", HOLD.lapsed(), "force", "LEASE"),
        ends("a hold that lives, by force", HOLD, "force", "FORCED"));
  }

  private static List<ScriptExample> pinned() {
    return List.of(
        asksPostgres("a hold that is being committed, by force", HOLD.pinned(1), "FORCED"),
        asksPostgres("a lapsed hold that is being committed", HOLD.lapsed().pinned(1), "LEASE"),
        refuses(
            "a hold that is being committed", HOLD.pinned(1), AHold.SALT, "WINDOW_NOT_ELAPSED"));
  }

  private static ScriptExample asksPostgres(String title, AHold hold, String reason) {
    return expire(title, AHold.SALT, "force")
        .after(Arena.open().with(hold).commands())
        .answers("PINNED", reason, "7", hold.text())
        .leaving(hold.record(), hold.text())
        .keepingNothing();
  }

  private static List<ScriptExample> refused() {
    var released = HOLD.ended("RELEASED", "").lapsed();
    return List.of(
        refuses("a hold that lives", HOLD, AHold.SALT, "WINDOW_NOT_ELAPSED"),
        refuses("a hold that was released", released, AHold.SALT, "NOT_HELD"),
        refuses("with another salt", HOLD.lapsed(), "f".repeat(16), "NOT_KNOWN"),
        expire("a hold that is not in this memory", AHold.SALT, "force")
            .after(Arena.open().commands())
            .answers("ABSENT")
            .keepingNothing());
  }

  private static ScriptExample ends(String title, AHold hold, String force, String reason) {
    var ended = hold.ended("EXPIRED", reason).text();
    return expire(title, AHold.SALT, force)
        .after(Arena.open().with(hold).commands())
        .answers("EXPIRED", ended)
        .andThen("REPLAY")
        .leaving("EXISTS %s %s".formatted(Arena.item("A-1"), Arena.item("A-2")), "0")
        .leaving("EXISTS " + Arena.DUE, "0")
        .leaving(Arena.REQUESTERS, "")
        .leaving(hold.record(), ended)
        .leaving(Arena.count("held"), "0")
        .leaving(Arena.count("version"), "21")
        .leaving(Arena.token("tok-1"), Arena.entry("expire", "EXPIRED\t" + ended))
        .leaving(Arena.ENTRIES, Arena.entryOf(Arena.line("expire", "EXPIRED\t" + ended)));
  }

  private static ScriptExample refuses(String title, AHold hold, String salt, String word) {
    return expire(title, salt, "")
        .after(Arena.open().with(hold).commands())
        .answers(word)
        .andThen("REPLAY")
        .leaving(hold.record(), hold.text())
        .leaving(Arena.ENTRIES, Arena.entryOf(Arena.line("expire", word)))
        .leaving(Arena.count("version"), "20");
  }

  private static ScriptExample units() {
    var hold = aHoldOf(3, 3).lapsed();
    var ended = hold.ended("EXPIRED", "LEASE").text();
    return expire("units of a lapsed hold, twice", AHold.SALT, "")
        .andCalls(call("tok-2", AHold.SALT, "force"))
        .after(Arena.stock("4 2/10").with(hold, aHoldOf(4, 2)).commands())
        .answers("EXPIRED", ended)
        .andAnswers("NOT_HELD")
        .andThen("REPLAY")
        .leaving(hold.record(), ended)
        .leaving("ZRANGE %s 0 -1".formatted(Arena.DUE), String.valueOf(Arena.fence(4)))
        .leaving(Arena.REQUESTERS, "shop\tu1, 1")
        .leaving("HMGET %s held sold version lines".formatted(Arena.META), "2, 2, 21, 42");
  }

  private static ScriptExample forcedUnits() {
    var hold = aHoldOf(3, 3).pinned(1);
    return expire("units that are being committed, by force", AHold.SALT, "force")
        .after(Arena.stock("4 2/10").with(hold).commands())
        .answers("PINNED", "FORCED", "7", hold.text())
        .leaving(Arena.count("held"), "3")
        .keepingNothing();
  }

  private static ScriptExample twice() {
    var ended = HOLD.ended("EXPIRED", "LEASE").lapsed().text();
    return expire("one hold by two calls, and once more under the first token", AHold.SALT, "")
        .andCalls(call("tok-2", AHold.SALT, "force"))
        .andCalls(call("tok-1", AHold.SALT, ""))
        .after(Arena.open().with(HOLD.lapsed()).commands())
        .answers("EXPIRED", ended)
        .andAnswers("NOT_HELD")
        .andAnswers("REPLAY", "EXPIRED", ended)
        .andThen("REPLAY")
        .leaving("HMGET %s held version lines".formatted(Arena.META), "0, 21, 42")
        .leaving(Arena.REQUESTERS, "");
  }

  private static ScriptExample expire(String title, String salt, String force) {
    return example(title).arguments(Arena.OURS).andCalls(call("tok-1", salt, force));
  }

  private static String[] call(String token, String salt, String force) {
    return new String[] {
      "shop", token, CommonExamples.DIGEST, String.valueOf(HOLD.fence()), salt, force
    };
  }
}
