package io.holdfast.redis;

import static io.holdfast.redis.ATicket.GRACE_MS;
import static io.holdfast.redis.ATicket.SEAL;
import static io.holdfast.redis.ATicket.aTicket;
import static io.holdfast.redis.CommonExamples.DIGEST;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

/// The scripts that requesters call.
final class WaitingTicketExamples {
  private static final ATicket FIRST = aTicket(3, "u1");
  private static final ATicket SECOND = aTicket(4, "u2");
  private static final String PACE = "HSET %s pace_ms 1500".formatted(Arena.META);

  private WaitingTicketExamples() {}

  static final class Join implements ScriptExamples {
    @Override
    public String script() {
      return "waiting/join";
    }

    @Override
    public List<ScriptExample> examples() {
      var fresh = "WAITING\t%1$d\t%1$d\tshop\tu2\t%2$s\t<moment>\t\t0\t";
      var joined = fresh.formatted(Arena.fence(13), SEAL);
      return together(
          List.of(
              join("after the end of the sale", "u2", "", "10")
                  .after(Arena.open().having(Arena.salesOver()).commands())
                  .answers("SALES_CLOSED")
                  .andThen("REPLAY")
                  .leaving("ZCARD " + ATicket.QUEUE, "0"),
              join("under rules that cannot be read", "u2", "", "10")
                  .after(Arena.open().having(Arena.unreadableRules()).commands())
                  .answers("SALES_CLOSED")
                  .andThen("REPLAY")
                  .leaving("ZCARD " + ATicket.QUEUE, "0"),
              join("before the sale begins", "u2", "", "10")
                  .after(
                      Arena.open()
                          .having(Arena.rules(1, AHold.FAR_AHEAD, AHold.FAR_AHEAD + 1, ""))
                          .commands())
                  .answers("TICKET_JOINED")
                  .andThen("REPLAY"),
              join("the second", "u2", "", "10")
                  .after(Arena.open().having(FIRST.commands()).commands())
                  .answers("TICKET_JOINED", "2", "", "", joined)
                  .andThen("REPLAY")
                  .leaving("ZRANGE %s 0 -1".formatted(ATicket.QUEUE), both(3, 13))
                  .leaving("HGET %s shop\tu2".formatted(ATicket.QUEUED), "" + Arena.fence(13))
                  .leaving("ZCARD " + ATicket.PRESENT, "2")
                  .leaving(aTicket(13, "u2").record(), joined)
                  .leaving("HMGET %s seq lines".formatted(Arena.META), "13, 41")
                  .leaving(
                      Arena.ENTRIES,
                      Arena.entryOf(Arena.line("join_queue", "TICKET_JOINED\t2\t\t\t" + joined))),
              join("with the pace of the policy", "u2", "2000", "10")
                  .after(Arena.open().having(FIRST.commands()).commands())
                  .answers("TICKET_JOINED", "2", "4", "POLICY", joined)
                  .andThen("REPLAY"),
              join("with a measured pace", "u2", "2000", "10")
                  .after(Arena.open().having(FIRST.commands()).having(PACE).commands())
                  .answers("TICKET_JOINED", "2", "3", "MEASURED", joined)
                  .andThen("REPLAY"),
              join("again", "u1", "", "1")
                  .after(Arena.open().having(FIRST.commands()).commands())
                  .answers("TICKET_SAME", "1", "", "", FIRST.text())
                  .andThen("REPLAY")
                  .leaving("ZCARD " + ATicket.QUEUE, "1"),
              join("again, after the admission", "u1", "", "10")
                  .after(Arena.open().having(FIRST.admitted(AHold.FAR_AHEAD).commands()).commands())
                  .answers("TICKET_SAME", "", "", "", FIRST.admitted(AHold.FAR_AHEAD).text())
                  .andThen("REPLAY"),
              join("again, after the pass", "u1", "", "10")
                  .after(Arena.open().having(FIRST.admitted(AHold.LONG_AGO).commands()).commands())
                  .answers("TICKET_JOINED")
                  .andThen("REPLAY"),
              join("a full queue", "u2", "", "1")
                  .after(Arena.open().having(FIRST.commands()).commands())
                  .answers("QUEUE_FULL")
                  .andThen("REPLAY")
                  .leaving("ZCARD " + ATicket.QUEUE, "1"),
              join("two calls of one requester", "u2", "", "10")
                  .andCalls("shop", "tok-2", DIGEST, "u2", SEAL)
                  .after(Arena.open().commands())
                  .answers("TICKET_JOINED", "1", "", "", joined)
                  .andAnswers("TICKET_SAME", "1", "", "", joined)
                  .andThen("REPLAY"),
              join("the numbers of the epoch are used up", "u2", "", "10")
                  .after(Arena.open("7", 4_294_967_295L).commands())
                  .answers("UNSEEDED", "FULL")),
          CommonExamples.ofToken("join_queue", title -> join(title, "u1", "", "10")),
          CommonExamples.ofUnseeded(title -> join(title, "u1", "", "10")));
    }

    private static ScriptExample join(String title, String requester, String pace, String most) {
      return example(title)
          .arguments(Arena.OURS, GRACE_MS, pace, most)
          .andCalls("shop", "tok-1", DIGEST, requester, SEAL);
    }
  }

  static final class Look implements ScriptExamples {
    @Override
    public String script() {
      return "waiting/look";
    }

    @Override
    public List<ScriptExample> examples() {
      return together(
          List.of(
              look("the second", "u2")
                  .after(waiting())
                  .answers("TICKET", "<moment>", "0", "2", "4", "POLICY", SECOND.text())
                  .answeringAnew(),
              look("an admitted one", "u2")
                  .after(
                      Arena.open().having(SECOND.admitted(AHold.FAR_AHEAD).commands()).commands())
                  .answers(
                      "TICKET",
                      "<moment>",
                      "0",
                      "",
                      "",
                      "",
                      SECOND.admitted(AHold.FAR_AHEAD).text())
                  .answeringAnew(),
              look("of another requester", "u3").after(waiting()).answers("ABSENT"),
              look("all is sold", "u2")
                  .after(
                      Arena.open()
                          .having(SECOND.commands())
                          .having("HSET %s sold 4".formatted(Arena.META))
                          .commands())
                  .answers("TICKET", "<moment>", "1", "1", "2", "POLICY", SECOND.text())
                  .answeringAnew(),
              look("all is sold, but the pool was changed since it was read", "u2")
                  .after(
                      Arena.open()
                          .having(SECOND.commands())
                          .having("HSET %s sold 4".formatted(Arena.META))
                          .having(Arena.rules(1, 0, AHold.FAR_AHEAD, ""))
                          .commands())
                  .answers("TICKET", "<moment>", "0", "1", "2", "POLICY", SECOND.text())
                  .answeringAnew(),
              look("all units are sold", "u2")
                  .after(Arena.stock("4 10/10").having(SECOND.commands()).commands())
                  .answers("TICKET", "<moment>", "1", "1", "2", "POLICY", SECOND.text())
                  .answeringAnew(),
              look("some units are not sold", "u2")
                  .after(Arena.stock("4 9/10").having(SECOND.commands()).commands())
                  .answers("TICKET", "<moment>", "0", "1", "2", "POLICY", SECOND.text())
                  .answeringAnew(),
              look("a sign of life that is due", "u2")
                  .after(Arena.open().having(SECOND.commands(AHold.LONG_AGO)).commands())
                  .answers("TICKET")
                  .answeringAnew()
                  .leaving(
                      "ZRANGE %s 0 -1 WITHSCORES".formatted(ATicket.PRESENT),
                      Arena.fence(4) + ", <moment>"),
              look("two calls", "u2")
                  .andCalls("" + Arena.fence(3), "shop", "u1")
                  .after(waiting())
                  .answers("TICKET", "<moment>", "0", "2", "4", "POLICY", SECOND.text())
                  .andAnswers("TICKET", "<moment>", "0", "1", "2", "POLICY", FIRST.text())
                  .answeringAnew()),
          CommonExamples.ofUnseeded(title -> look(title, "u2")));
    }

    private static ScriptExample look(String title, String requester) {
      return example(title)
          .arguments(Arena.OURS, GRACE_MS, "2000", "4", "0")
          .andCalls("" + Arena.fence(4), "shop", requester);
    }
  }

  static final class Leave implements ScriptExamples {
    @Override
    public String script() {
      return "waiting/leave";
    }

    @Override
    public List<ScriptExample> examples() {
      var admitted = SECOND.admitted(AHold.FAR_AHEAD);
      return together(
          List.of(
              leave("a waiting one", "u2")
                  .after(waiting())
                  .answers("TICKET_LEFT", left(SECOND))
                  .andThen("REPLAY")
                  .leaving("ZRANGE %s 0 -1".formatted(ATicket.QUEUE), "" + Arena.fence(3))
                  .leaving("ZRANGE %s 0 -1".formatted(ATicket.PRESENT), "" + Arena.fence(3))
                  .leaving("HLEN " + ATicket.QUEUED, "1")
                  .leaving(SECOND.record(), left(SECOND)),
              leave("an admitted one, whose pass ends", "u2")
                  .after(Arena.open().having(admitted.commands()).commands())
                  .answers("TICKET_LEFT", left(admitted))
                  .andThen("REPLAY")
                  .leaving("ZRANGE %s 0 -1".formatted(ATicket.REVOKED), "" + Arena.fence(4))
                  .leaving("ZCARD " + ATicket.INSIDE, "0")
                  .leaving("ZCARD " + ATicket.CHOOSING, "0"),
              leave("one that has ended", "u2")
                  .after(Arena.open().having(SECOND.ended("EXPIRED").commands()).commands())
                  .answers("TICKET_LEFT", SECOND.ended("EXPIRED").text())
                  .andThen("REPLAY"),
              leave("of another requester", "u3")
                  .after(waiting())
                  .answers("ABSENT")
                  .keepingNothing()),
          CommonExamples.ofToken("leave_queue", title -> leave(title, "u2")),
          CommonExamples.ofUnseeded(title -> leave(title, "u2")));
    }

    private static ScriptExample leave(String title, String requester) {
      return example(title)
          .arguments(Arena.OURS)
          .andCalls("shop", "tok-1", DIGEST, "" + Arena.fence(4), requester);
    }

    private static String left(ATicket ticket) {
      return ticket.ended("LEFT").text();
    }
  }

  static final class Behind implements ScriptExamples {
    private static final long LOST = (6L << 32) + 9;

    @Override
    public String script() {
      return "waiting/behind";
    }

    @Override
    public List<ScriptExample> examples() {
      var behind =
          "WAITING\t%d\t%d\tshop\tu9\t%s\t<moment>\t\t1\t".formatted(LOST, Arena.fence(13), SEAL);
      return together(
          List.of(
              behind("a lost one", LOST, "")
                  .after(waiting())
                  .answers("TICKET_REQUEUED", behind)
                  .andThen("PRESENT")
                  .leaving("ZRANGE %s 0 -1".formatted(ATicket.QUEUE), both(3, 4) + ", " + LOST)
                  .leaving("HGET %s shop\tu9".formatted(ATicket.QUEUED), "" + LOST)
                  .leaving(
                      Arena.ENTRIES, Arena.entryOf(Arena.UNCAUSED + "TICKET_REQUEUED\t" + behind)),
              behind("one of this epoch that nobody knows", Arena.fence(9), "")
                  .after(waiting())
                  .answers("ABSENT")
                  .keepingNothing(),
              behind("the requester has another", LOST, "")
                  .after(Arena.open().having(aTicket(5, "u9").commands()).commands())
                  .answers("OTHER")
                  .keepingNothing(),
              behind("an overtaken one", Arena.fence(5), "" + Arena.fence(6))
                  .after(Arena.open().having(aTicket(5, "u9").commands()).commands())
                  .answers("TICKET_REQUEUED")
                  .andThen("PRESENT")
                  .leaving(
                      "ZRANGE %s 0 -1 WITHSCORES".formatted(ATicket.QUEUE),
                      Arena.fence(5) + ", " + Arena.fence(13)),
              behind("one behind the committed place", Arena.fence(5), "" + Arena.fence(4))
                  .after(Arena.open().having(aTicket(5, "u9").commands()).commands())
                  .answers("PRESENT")
                  .keepingNothing(),
              behind("the numbers of the epoch are used up", LOST, "")
                  .after(Arena.open("7", 4_294_967_295L).commands())
                  .answers("UNSEEDED", "FULL")),
          CommonExamples.ofUnseeded(title -> behind(title, LOST, "")));
    }

    private static ScriptExample behind(String title, long number, String committed) {
      return example(title)
          .arguments(Arena.OURS, GRACE_MS)
          .andCalls("" + number, "shop", "u9", SEAL, committed);
    }
  }

  private static String[] waiting() {
    return Arena.open().having(FIRST.commands()).having(SECOND.commands()).commands();
  }

  private static String both(int one, int other) {
    return Arena.fence(one) + ", " + Arena.fence(other);
  }
}
