package io.holdfast.payment.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.payment.DelayedNotices;
import io.holdfast.payment.PaymentFixture;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A notice without a recent, complete signature of the provider is refused and not stored.
@ExtendWith(RealServers.class)
class ForgedNoticesTest extends DelayedNotices {
  private static final String OTHER_SECRET = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  private static final long TOO_OLD = -301;
  private static final long TOO_NEW = 330;

  @Test
  void a_notice_with_a_foreign_signature_is_refused_and_not_stored() {
    assertForged(signed(OTHER_SECRET, PaymentFixture.id("msg"), 0, done(), done()));
  }

  @Test
  void a_body_that_was_changed_afterwards_is_refused() {
    var changed = done().replace("5000", "1");

    assertForged(signed(PaymentFixture.SECRET, PaymentFixture.id("msg"), 0, done(), changed));
  }

  @ParameterizedTest
  @ValueSource(longs = {TOO_OLD, TOO_NEW})
  void a_signature_of_another_time_is_refused(long seconds) {
    assertForged(signed(PaymentFixture.SECRET, PaymentFixture.id("msg"), seconds, done(), done()));
  }

  @Test
  void a_notice_cannot_be_replayed_under_another_id() {
    var now = now();
    var signature = signature(PaymentFixture.SECRET, "mine", now, done());

    assertForged(
        post(
            PaymentFixture.HTTP,
            done(),
            "webhook-id",
            "other",
            "webhook-timestamp",
            "" + now,
            "webhook-signature",
            signature));
  }

  @Test
  void a_notice_for_one_provider_is_worth_nothing_at_another() {
    var now = now();
    var signature = signature(PaymentFixture.SECRET, "mine", now, done());

    assertForged(
        post(
            Simulator.PROVIDER,
            done(),
            "webhook-id",
            "mine",
            "webhook-timestamp",
            "" + now,
            "webhook-signature",
            signature));
  }

  @Test
  void an_unsigned_notice_is_refused_with_or_without_an_api_key() {
    assertForged(post(PaymentFixture.HTTP, done()));
    assertForged(post(PaymentFixture.HTTP, done(), "Authorization", "Bearer " + TestServers.KEY));
    assertForged(
        post(
            PaymentFixture.HTTP,
            done(),
            "webhook-id",
            "a",
            "webhook-timestamp",
            "soon",
            "webhook-signature",
            "v1,"));
  }

  @Test
  void headers_that_stand_there_twice_are_refused() {
    var now = now();
    var signature = signature(PaymentFixture.SECRET, "mine", now, done());

    assertForged(
        post(
            PaymentFixture.HTTP,
            done(),
            "webhook-id",
            "mine",
            "webhook-id",
            "other",
            "webhook-timestamp",
            "" + now,
            "webhook-signature",
            signature));
  }

  private void assertForged(HttpResponse<String> answer) {
    assertRefused(answer, 401, "unauthenticated");
    assertThat(verdicts()).isEmpty();
  }
}
