package io.holdfast.commitment.sale;

import static io.holdfast.commitment.SalesFixture.ARENA;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.SalesFixture;
import io.holdfast.commitment.sale.ConfirmVerdict.Refuse;
import io.holdfast.commitment.sale.LostCommitResolver.TokenRow;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.postgres.ConnectionPool;
import io.holdfast.postgres.TestLink;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The resolver decides on rows that only the lost transaction can have written, and never while
/// that transaction may still start.
@ExtendWith(RealServers.class)
class LostCommitResolverTest {
  private final TestServers servers;
  private SalesFixture shop;
  private TestLink link;

  LostCommitResolverTest(TestServers servers) {
    this.servers = servers;
  }

  @BeforeEach
  void open() throws Exception {
    shop = SalesFixture.open(servers);
    link = TestLink.to(servers.jdbcUrl());
  }

  @AfterEach
  void close() {
    link.close();
  }

  @Test
  @Requirement("RP-06")
  void missing_rows_prove_nothing_while_the_backend_still_runs() throws Exception {
    var lost = new LostCommitResolver(link.link());
    var absent = refused(shop.ask(shop.hold("A-1"))).spent().toList();
    int backend;
    try (var other = servers.connection()) {
      backend = ConnectionPool.backendOf(other);

      assertThat(lost.isCommitted(absent, backend)).isEmpty();
    }

    assertThat(lost.isCommitted(absent, backend)).isEqualTo(Optional.of(false));
  }

  @Test
  @Requirement("RP-06")
  void a_stored_refusal_does_not_prove_the_commit_of_a_sale() {
    var refused = refused(shop.ask(shop.hold("A-1")));
    var sold = sold(shop.ask(shop.hold("A-2")));

    assertThat(DecidedRequest.tokensProvingCommit(List.of(refused, sold)))
        .extracting(TokenRow::token)
        .containsExactly(sold.request().token());
    assertThat(DecidedRequest.tokensProvingCommit(List.of(refused))).hasSize(1);
  }

  @Test
  void a_lost_sale_that_was_voided_since_has_its_time_and_no_items() throws Exception {
    var request = shop.ask(shop.hold("A-1")).confirm();
    try (var ledger = TestLedger.on(servers.jdbcUrl())) {
      ledger.confirm(request);
    }
    shop.rows().change("UPDATE commitment SET voided_at = committed_at");
    shop.rows().change("UPDATE item SET status = 'FREE', holder = NULL WHERE item = 'A-1'");

    try (var connection = servers.connection()) {
      var rows = new SaleRows();
      var sale = sold(shop.ask(((Pinned) request.intent()).hold()));
      rows.readAgain(connection, List.of(sale));

      var hold = request.hold().toString();
      assertThat(rows.versions(request.hold())).isEmpty();
      assertThat(rows.endOf(sale.soldHold(), hold).toEpochMilli())
          .isEqualTo(
              shop.rows().number("SELECT (extract(epoch FROM ended_at) * 1000)::bigint FROM hold"));
    }
  }

  private static DecidedRequest refused(SalesFixture.Ask ask) {
    return new DecidedRequest(ask.confirm(), assumed(ask), new Refuse(Reason.NOT_HELD, false));
  }

  private static DecidedRequest sold(SalesFixture.Ask ask) {
    var hold = ((Pinned) ask.intent()).hold();
    var facts = assumed(ask);
    var ended = hold.ended(HoldState.CONFIRMED, facts.now(), null);
    assertThat(hold.id(ARENA)).isEqualTo(ask.hold());
    return new DecidedRequest(ask.confirm(), facts, new ConfirmVerdict.Sell(ended, facts.items()));
  }

  private static LockedFacts assumed(SalesFixture.Ask ask) {
    return LockedFacts.assumed((Pinned) ask.intent(), null);
  }
}
