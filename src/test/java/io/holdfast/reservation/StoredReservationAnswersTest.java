package io.holdfast.reservation;

import io.holdfast.app.Service;
import io.holdfast.idempotency.EntryVersion;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.OutcomeCodec;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.PoolPolicy;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.RenderedAnswer;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.StoredCopy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The bytes of the answers about reservations that are rendered from a stored outcome, in every
/// version of entries. Outcomes that are not here are rendered like those of holds.
@ExtendWith(RealServers.class)
class StoredReservationAnswersTest {
  private static final String COPY = "stored-reservation-answers.txt";
  private static final String WHY =
      "answers under tokens have other bytes: add an EntryVersion for them, render the earlier ones"
          + " as before, and add the new lines from build/"
          + COPY;

  private static final Pool EMAIL =
      Pool.fresh(
          new PoolName("email"), PoolKind.UNIQUE, PoolPolicy.of(PoolKind.UNIQUE), 0, null, null);
  private static final String BEGINNING =
      "4294967297\t0123456789abcdef\tshop\tann\t1800000000000\t1800000600000\t1800001800000"
          + "\t600000\t";

  private static final List<String> OUTCOMES =
      List.of(
          "HELD\tHELD\t" + BEGINNING + "\t\t0\ttok\talice\t\t{\"correlationId\":\"c-1\"}",
          "SAME\tHELD\t" + BEGINNING + "\t\t0\ttok\talice\t\t",
          "CONFIRMED\tCONFIRMED\t" + BEGINNING + "1800000000009\t\t1\ttok\talice\t\t",
          "RELEASED\tRELEASED\t" + BEGINNING + "1800000000009\t\t0\ttok\talice\t\t",
          "TAKEN\talice",
          "LIMIT\t4",
          "INVALID\tINVALID_TTL\tThe ttlMs has to be a number.",
          "INVALID\tentity\tThere is no field entity.",
          "NOT_KNOWN",
          "ELAPSED",
          "CLOSING",
          "NOT_HELD",
          "SALES_CLOSED");

  @Test
  @Requirement({"AU-10", "IR-ST-08"})
  void every_answer_has_the_bytes_of_its_version(Service service) {
    var rendered = RenderedAnswer.of(service);
    var lines = new ArrayList<String>();
    for (var version : EntryVersion.values()) {
      OUTCOMES.forEach(text -> lines.add(line(rendered, version, text, null)));
      for (var met : HoldState.values()) {
        lines.add(line(rendered, version, "NOT_HELD", met));
      }
    }

    StoredCopy.assertSame(COPY, WHY, lines);
  }

  private static String line(
      RenderedAnswer rendered, EntryVersion version, String text, @Nullable HoldState met) {
    var answer =
        ReservationResponses.of(
            EMAIL,
            version,
            OutcomeCodec.parse(text),
            null,
            text.startsWith("CONFIRMED") ? "user-1" : null,
            Optional.ofNullable(met));
    return "%s %s%s: %s"
        .formatted(
            version.id(),
            text.split("\t", 2)[0],
            met == null ? "" : " met " + met,
            rendered.line(answer));
  }
}
