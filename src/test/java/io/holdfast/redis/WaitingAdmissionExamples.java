package io.holdfast.redis;

import static io.holdfast.redis.ATicket.GRACE_MS;
import static io.holdfast.redis.ATicket.aTicket;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;
import java.util.stream.Stream;

/// The scripts that admit tickets, end them, and restore them.
final class WaitingAdmissionExamples {
  private static final ATicket FIRST = aTicket(3, "u1");
  private static final ATicket SECOND = aTicket(4, "u2");
  private static final String FAR = "" + AHold.FAR_AHEAD;

  private WaitingAdmissionExamples() {}

  static final class Head implements ScriptExamples {
    @Override
    public String script() {
      return "waiting/head";
    }

    @Override
    public List<ScriptExample> examples() {
      var inside = aTicket(1, "u0").admitted(AHold.FAR_AHEAD);
      var over = aTicket(2, "u5").admitted(AHold.LONG_AGO);
      return together(
          List.of(
              head("two of three, in the order of their places", "2")
                  .after(waiting(aTicket(5, "u3").at(Arena.fence(1))))
                  .answers("HEAD", "7", "20", "0", "0", "", "3", "0", "0", "40", "<moment>")
                  .answeringAnew()
                  .andAnswers("WAITING", after(aTicket(5, "u3").at(Arena.fence(1))))
                  .andAnswers("WAITING", after(FIRST)),
              head("an empty queue, with one inside", "2")
                  .after(
                      Arena.stock("4 2/10")
                          .having(inside.commands())
                          .having(over.commands())
                          .commands())
                  .answers("HEAD", "7", "20", "0", "2", "10", "0", "1", "1", "40", "<moment>")
                  .answeringAnew(),
              head("no tickets asked for", "0")
                  .after(waiting())
                  .answers("HEAD", "7", "20", "0", "0", "", "2", "0", "0", "40", "<moment>")
                  .answeringAnew()),
          CommonExamples.ofUnseeded(title -> head(title, "2")));
    }

    private static ScriptExample head(String title, String count) {
      return example(title).arguments(Arena.OURS, count);
    }

    private static String after(ATicket ticket) {
      return ticket.text().substring("WAITING\t".length());
    }
  }

  static final class Admit implements ScriptExamples {
    @Override
    public String script() {
      return "waiting/admit";
    }

    @Override
    public List<ScriptExample> examples() {
      return together(
          List.of(
              admit("the first", "VALID")
                  .after(waiting())
                  .answers("ADMITTED", "1")
                  .andThen("ADMITTED\t0")
                  .answeringAnew()
                  .leaving("ZRANGE %s 0 -1".formatted(ATicket.QUEUE), "" + Arena.fence(4))
                  .leaving("ZRANGE %s 0 -1".formatted(ATicket.PRESENT), "" + Arena.fence(4))
                  .leaving(
                      "ZRANGE %s 0 -1 WITHSCORES".formatted(ATicket.INSIDE),
                      Arena.fence(3) + ", " + FAR)
                  .leaving("ZCARD " + ATicket.CHOOSING, "1")
                  .leaving("ZCARD " + ATicket.PASSES, "1")
                  .leaving(FIRST.record(), FIRST.admitted(AHold.FAR_AHEAD).text()),
              admit("one whose pass was revoked meanwhile", "REVOKED")
                  .after(waiting())
                  .answers("ADMITTED", "1")
                  .andThen("ADMITTED\t0")
                  .answeringAnew()
                  .leaving("ZCARD " + ATicket.INSIDE, "0")
                  .leaving("ZCARD " + ATicket.PASSES, "1")
                  .leaving("ZCARD " + ATicket.REVOKED, "1")
                  .leaving("HLEN " + ATicket.QUEUED, "1")
                  .leaving(FIRST.record(), FIRST.admitted(AHold.FAR_AHEAD).ended("EXPIRED").text()),
              admit("one whose pass was revoked after it was read", "VALID")
                  .after(
                      Arena.open()
                          .having(FIRST.commands())
                          .having("ZADD %s %s %d".formatted(ATicket.REVOKED, FAR, Arena.fence(3)))
                          .commands())
                  .answers("ADMITTED", "1")
                  .andThen("ADMITTED\t0")
                  .answeringAnew()
                  .leaving("ZCARD " + ATicket.CHOOSING, "0")
                  .leaving(FIRST.record(), FIRST.admitted(AHold.FAR_AHEAD).ended("EXPIRED").text()),
              admit("one that has left meanwhile", "VALID")
                  .after(Arena.open().having(FIRST.ended("LEFT").commands()).commands())
                  .answers("ADMITTED", "0")
                  .leaving("ZCARD " + ATicket.INSIDE, "0")
                  .leaving(FIRST.record(), FIRST.ended("LEFT").text())),
          CommonExamples.ofUnseeded(title -> admit(title, "VALID")));
    }

    private static ScriptExample admit(String title, String validity) {
      return example(title).arguments(Arena.OURS, "" + Arena.fence(3), FAR, validity);
    }
  }

  static final class Revoke implements ScriptExamples {
    @Override
    public String script() {
      return "waiting/revoke";
    }

    @Override
    public List<ScriptExample> examples() {
      var admitted = FIRST.admitted(AHold.FAR_AHEAD);
      return together(
          List.of(
              revoke("an admitted one")
                  .after(Arena.open().having(admitted.commands()).commands())
                  .answers("REVOKED")
                  .leaving("ZCARD " + ATicket.INSIDE, "0")
                  .leaving("ZCARD " + ATicket.REVOKED, "1")
                  .leaving("HLEN " + ATicket.QUEUED, "0")
                  .leaving(FIRST.record(), admitted.ended("EXPIRED").text()),
              revoke("one that is not here")
                  .after(Arena.open().commands())
                  .answers("REVOKED")
                  .leaving("ZCARD " + ATicket.REVOKED, "1")),
          CommonExamples.ofUnseeded(Revoke::revoke));
    }

    private static ScriptExample revoke(String title) {
      return example(title).arguments(Arena.OURS, "" + Arena.fence(3), FAR);
    }
  }

  static final class Pace implements ScriptExamples {
    @Override
    public String script() {
      return "waiting/pace";
    }

    @Override
    public List<ScriptExample> examples() {
      return together(
          List.of(
              pace("a measured one", "1500")
                  .after(Arena.open().commands())
                  .answers("NOTED")
                  .leaving(Arena.count("pace_ms"), "1500"),
              pace("nobody was admitted lately", "")
                  .after(Arena.open().having("HSET %s pace_ms 9".formatted(Arena.META)).commands())
                  .answers("NOTED")
                  .leaving(Arena.count("pace_ms"), "nothing")),
          CommonExamples.ofUnseeded(title -> pace(title, "1500")));
    }

    private static ScriptExample pace(String title, String ms) {
      return example(title).arguments(Arena.OURS, ms);
    }
  }

  static final class Sweep implements ScriptExamples {
    @Override
    public String script() {
      return "waiting/sweep";
    }

    @Override
    public List<ScriptExample> examples() {
      var over = aTicket(2, "u5").admitted(AHold.LONG_AGO);
      return together(
          List.of(
              sweep("one without a sign of life")
                  .after(
                      Arena.open()
                          .having(FIRST.commands(AHold.LONG_AGO))
                          .having(SECOND.commands())
                          .commands())
                  .answers("SWEPT", "1")
                  .andThen("SWEPT\t0")
                  .answeringAnew()
                  .leaving("ZRANGE %s 0 -1".formatted(ATicket.QUEUE), "" + Arena.fence(4))
                  .leaving(FIRST.record(), FIRST.ended("EXPIRED").text())
                  .leaving(
                      Arena.ENTRIES,
                      Arena.entryOf(
                          Arena.UNCAUSED
                              + "TICKET_EXPIRED\t"
                              + Snapshot.timeless(FIRST.ended("EXPIRED").text()))),
              sweep("a pass that is over")
                  .after(Arena.open().having(over.commands()).commands())
                  .answers("SWEPT", "0")
                  .leaving("EXISTS " + ATicket.TICKETS, "0")
                  .leaving("EXISTS " + ATicket.QUEUED, "0")
                  .leaving("EXISTS %s %s".formatted(ATicket.PASSES, ATicket.INSIDE), "0")),
          CommonExamples.ofUnseeded(Sweep::sweep));
    }

    private static ScriptExample sweep(String title) {
      return example(title).arguments(Arena.OURS, "10");
    }
  }

  static final class Arrange implements ScriptExamples {
    @Override
    public String script() {
      return "waiting/arrange";
    }

    @Override
    public List<ScriptExample> examples() {
      return together(
          List.of(
              arrange("two change places")
                  .after(waiting())
                  .answers("ARRANGED", "2")
                  .andThen("ARRANGED\t0")
                  .answeringAnew()
                  .leaving(
                      "ZRANGE %s 0 -1".formatted(ATicket.QUEUE),
                      Arena.fence(4) + ", " + Arena.fence(3))
                  .leaving("HGET %s version".formatted(Arena.META), "21")
                  .leaving(FIRST.record(), FIRST.at(Arena.fence(4)).text()),
              arrange("one has left")
                  .after(
                      Arena.open()
                          .having(FIRST.ended("LEFT").commands())
                          .having(SECOND.commands())
                          .commands())
                  .answers("ARRANGED", "1")
                  .andThen("ARRANGED\t0")
                  .answeringAnew()
                  .leaving("ZRANGE %s 0 -1".formatted(ATicket.QUEUE), "" + Arena.fence(4))),
          CommonExamples.ofUnseeded(Arrange::arrange));
    }

    private static ScriptExample arrange(String title) {
      var first = "" + Arena.fence(3);
      var second = "" + Arena.fence(4);
      return example(title).arguments(Arena.OURS, first, second, second, first);
    }
  }

  static final class Restore implements ScriptExamples {
    @Override
    public String script() {
      return "waiting/restore";
    }

    @Override
    public List<ScriptExample> examples() {
      var admitted = SECOND.admitted(AHold.FAR_AHEAD);
      return together(
          List.of(
              restore("a waiting one", FIRST, "WAITING")
                  .after(Arena.seeding().commands())
                  .answers("RESTORED")
                  .renewing()
                  .leaving("ZRANGE %s 0 -1".formatted(ATicket.QUEUE), "" + Arena.fence(3))
                  .leaving("HGET %s shop\tu1".formatted(ATicket.QUEUED), "" + Arena.fence(3))
                  .leaving("ZCARD " + ATicket.PRESENT, "1")
                  .leaving(FIRST.record(), FIRST.text()),
              restore("one who chooses", admitted, "CHOOSING")
                  .after(Arena.seeding().commands())
                  .answers("RESTORED")
                  .leaving("ZCARD " + ATicket.CHOOSING, "1")
                  .leaving("ZCARD " + ATicket.INSIDE, "1")
                  .leaving("ZCARD " + ATicket.PASSES, "1"),
              restore("one with a hold", admitted, "INSIDE")
                  .after(Arena.seeding().commands())
                  .answers("RESTORED")
                  .leaving("ZCARD " + ATicket.CHOOSING, "0")
                  .leaving("ZCARD " + ATicket.INSIDE, "1"),
              restore("one who has bought", admitted, "BOUGHT")
                  .after(Arena.seeding().commands())
                  .answers("RESTORED")
                  .leaving("ZCARD " + ATicket.INSIDE, "0")
                  .leaving("ZCARD " + ATicket.PASSES, "1"),
              restore("a revoked pass", admitted, "REVOKED")
                  .after(Arena.seeding().commands())
                  .answers("RESTORED")
                  .leaving("ZCARD " + ATicket.REVOKED, "1")
                  .leaving("EXISTS " + ATicket.TICKETS, "0")),
          CommonExamples.ofSuperseded(title -> restore(title, FIRST, "WAITING")));
    }

    private static ScriptExample restore(String title, ATicket ticket, String kind) {
      return example(title).arguments(Arena.OURS, Arena.EPOCH, GRACE_MS, ticket.text(), kind);
    }
  }

  private static String[] waiting(ATicket... more) {
    var arena = Arena.open().having(FIRST.commands()).having(SECOND.commands());
    Stream.of(more).forEach(ticket -> arena.having(ticket.commands()));
    return arena.commands();
  }
}
