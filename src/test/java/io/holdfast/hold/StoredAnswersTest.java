package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.idempotency.EntryVersion;
import io.holdfast.pool.AuctionTerms;
import io.holdfast.pool.OutcomeCodec;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.PoolPolicy;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.RenderedAnswer;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.StoredCopy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The bytes of every answer that is rendered from a stored outcome, in every version of entries. A
/// changed line is an answer that differs from the one that was sent first.
@ExtendWith(RealServers.class)
class StoredAnswersTest {
  private static final String COPY = "stored-answers.txt";
  private static final String WHY =
      "answers under tokens have other bytes: add an EntryVersion for them, render the earlier ones"
          + " as before, and add the new lines from build/"
          + COPY;

  private static final String BEGINNING =
      "4294967297\t0123456789abcdef\tshop\tann\t1800000000000\t1800000600000\t1800001800000"
          + "\t600000\t";
  private static final String TICKET = "\t7\t7\tshop\tann\tseal\t1800000000000\t";

  private static final List<String> OF_SEATS =
      Stream.concat(
              Stream.of(
                  "HELD\tHELD\t" + BEGINNING + "\t\t0\ttok\tA-1\nA-2\t\t",
                  "SAME\tHELD\t" + BEGINNING + "\t\t0\ttok\tA-1\t\t{\"basket\":\"b-17\"}",
                  "CONFIRMED\tCONFIRMED\t" + BEGINNING + "1800000000009\t\t1\ttok\tA-1\t\t",
                  "RELEASED\tRELEASED\t" + BEGINNING + "1800000000009\t\t0\ttok\tA-1\t\t",
                  "EXPIRED\tEXPIRED\t" + BEGINNING + "1800000000009\tFORCED\t0\ttok\tA-1\t\t",
                  "TICKET_JOINED\t3\t90\tPOLICY\tWAITING" + TICKET + "\t0\t",
                  "TICKET_SAME\t\t\t\tADMITTED" + TICKET + "1800000000009\t0\t1800000600000",
                  "TICKET_LEFT\tLEFT" + TICKET + "1800000000009\t0\t",
                  "TICKET_EXPIRED\tEXPIRED" + TICKET + "1800000000009\t0\t",
                  "TICKET_REQUEUED\tWAITING" + TICKET + "\t1\t",
                  "TAKEN\tA-1\nA-2",
                  "TAKEN\t",
                  "NO_SUCH_ITEM\tA-9",
                  "LIMIT\t4",
                  "ITEM_LIMIT\t6",
                  "BID_TOO_LOW\t500",
                  "INVALID\titems\tThe field items has to name items.",
                  "INVALID\t\tThe body has to be an object."),
              Stream.of(StoredOutcome.Reason.values()).map(Enum::name))
          .toList();

  @Test
  @Requirement({"AU-10", "IR-ST-08"})
  void every_answer_has_the_bytes_of_its_version(Service service) {
    var rendered = RenderedAnswer.of(service);
    var lines = new ArrayList<String>();
    for (var version : EntryVersion.values()) {
      OF_SEATS.forEach(text -> lines.add(line(rendered, PoolKind.SEATS, version, text)));
      lines.add(line(rendered, PoolKind.STOCK, version, "TAKEN\t"));
      lines.add(
          line(
              rendered, PoolKind.STOCK, version, "HELD\tHELD\t" + BEGINNING + "\t\t0\ttok\t\t2\t"));
      lines.add(
          line(
              rendered,
              PoolKind.AUCTION,
              version,
              "HELD\tHELD\t" + BEGINNING + "\t\t0\ttok\t\t\t\t500\tLEADING"));
    }

    StoredCopy.assertSame(COPY, WHY, lines);
  }

  /// A new outcome does not escape.
  @Test
  void every_outcome_has_its_answers_in_the_copy() {
    var outcomes = OF_SEATS.stream().map(OutcomeCodec::parse).toList();

    assertThat(outcomes)
        .extracting(outcome -> (Object) outcome.getClass())
        .containsAll(leaves(StoredOutcome.class).toList());
    assertThat(outcomes).contains(StoredOutcome.Reason.values());
  }

  private static Stream<Class<?>> leaves(Class<?> type) {
    return type.isSealed()
        ? Stream.of(type.getPermittedSubclasses()).flatMap(StoredAnswersTest::leaves)
        : Stream.of(type);
  }

  private static Pool pool(PoolKind kind) {
    var name = new PoolName("arena");
    var policy = PoolPolicy.of(kind);
    return switch (kind) {
      case SEATS, UNIQUE -> Pool.fresh(name, kind, policy, 2, null, null);
      case STOCK -> Pool.fresh(name, kind, policy, 0, 9L, 500L);
      case AUCTION -> Pool.freshAuction(name, policy, new AuctionTerms(Instant.EPOCH, 1));
    };
  }

  private static String line(
      RenderedAnswer rendered, PoolKind kind, EntryVersion version, String text) {
    var answer = HoldResponses.of(pool(kind), version, OutcomeCodec.parse(text));
    return "%s %s %s: %s"
        .formatted(version.id(), kind, text.split("\t", 2)[0], rendered.line(answer));
  }
}
