package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
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
        .answers("PINNED", hold.text(), reason, "7")
        .leaving("GET " + hold.key(), hold.text())
        .leaving("EXISTS %s %s".formatted(Arena.token("tok-1"), Arena.JOURNAL), "0");
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
            .leaving("EXISTS %s %s".formatted(Arena.token("tok-1"), Arena.JOURNAL), "0"));
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
        .leaving("GET " + hold.key(), ended)
        .leaving(Arena.count("held"), "0")
        .leaving(Arena.count("version"), "21")
        .leaving(
            "XRANGE %s - +".formatted(Arena.JOURNAL),
            "<id>, line, 7\t<moment>\texpire\tshop\ttok-1\t%s\t60000\tEXPIRED\t%s"
                .formatted(CommonExamples.DIGEST, ended));
  }

  private static ScriptExample refuses(String title, AHold hold, String salt, String word) {
    return expire(title, salt, "")
        .after(Arena.open().with(hold).commands())
        .answers(word, "")
        .andThen("REPLAY")
        .leaving("GET " + hold.key(), hold.text())
        .leaving("XLEN " + Arena.JOURNAL, "1")
        .leaving(Arena.count("version"), "20");
  }

  private static ScriptExample expire(String title, String salt, String force) {
    return example(title)
        .keys(Arena.META, Arena.token("tok-1"), Arena.JOURNAL, HOLD.key())
        .arguments(
            Arena.OURS,
            "shop",
            "tok-1",
            CommonExamples.DIGEST,
            CommonExamples.TOKEN_WINDOW_MS,
            salt,
            force);
  }
}
