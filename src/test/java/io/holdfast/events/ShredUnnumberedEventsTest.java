package io.holdfast.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.commitment.claim.SaleReversals;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Transaction;
import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.TaskControl;
import io.holdfast.subject.DataSubject;
import io.holdfast.subject.SubjectKeys;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import io.holdfast.testing.VanishingRows;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A shredding covers all events that are committed before its end, with or without a number.
@ExtendWith(RealServers.class)
class ShredUnnumberedEventsTest {

  @Test
  void an_event_without_a_number_is_shredded_too(Service service) {
    var tasks = service.context().getBean(PeriodicTasks.class);
    TaskControl.stop(tasks, "event-dispatch"); // stops the numbering
    service
        .context()
        .getBean(Transactions.class)
        .write(
            connection -> {
              new EventWriter().append(connection, List.of(anEventOf("jana")));
              return 0;
            });
    var api = Api.of(service);
    api.createPool("arena", List.of("A-1"), "{}");

    var report = Http.json(api.post("/v1/subjects/jana/shred", Api.token(), "{}"));

    assertThat(report.path("events").asInt()).as(report.toString()).isEqualTo(1);
    assertThat(api.get("/v1/pools/arena/events").body())
        .doesNotContain("jana")
        .contains("__redacted");
  }

  @Test
  @Requirement("AU-7")
  void an_event_that_is_committed_while_the_shredding_waits_for_its_row_is_shredded_too(
      Service service, TestServers servers) {
    var rows = Rows.of(servers);
    var subscriber = Subscriber.of(service);
    var pool = PricedPools.create(subscriber.api(), "A-1");
    var hold = subscriber.sell(pool, "kurt", "A-1");
    awaitSettled(rows);

    var shredded = shredDuringVoid(service, rows, hold, "kurt");

    assertThat(shredded.statusCode()).as(shredded.body()).isEqualTo(200);
    assertThat(Http.json(shredded).path("events").asInt()).isEqualTo(2);
    assertIsRedacted(subscriber.api(), pool, "kurt");
  }

  @Test
  @Requirement("AU-7")
  void the_void_of_a_sale_without_commitments_is_waited_for_too(
      Service service, TestServers servers) {
    var rows = Rows.of(servers);
    var subscriber = Subscriber.of(service);
    var pool = PricedPools.create(subscriber.api(), "A-1");
    var hold = subscriber.api().hold(pool, "lutz", "A-1");
    VanishingRows.commitments(rows);
    var failed = subscriber.api().confirm(hold, Api.token(), "lutz", "order");
    VanishingRows.noMore(rows);
    assertThat(Api.code(failed)).isEqualTo("compensating");
    awaitSettled(rows);

    var shredded = shredDuringVoid(service, rows, hold, "lutz");

    assertThat(shredded.statusCode()).as(shredded.body()).isEqualTo(200);
    assertIsRedacted(subscriber.api(), pool, "lutz");
  }

  @Test
  @Requirement("AU-7")
  void a_hold_that_is_stored_while_the_shredding_waits_for_the_key_is_found(
      Service service, TestServers servers) {
    var rows = Rows.of(servers);
    var api = Api.of(service);
    var pool = api.pool(1);
    var live = api.hold(pool, "nora", "A-1");
    Await.until(Subscriber.SOON, () -> rows.stateOf(live).equals("HELD"));
    var maria = Set.of(new DataSubject("operator", "maria"));
    service
        .context()
        .getBean(Transactions.class)
        .write(connection -> SubjectKeys.findOrCreate(connection, maria));

    var refused =
        shredDuring(
            service,
            rows,
            "maria",
            connection -> {
              SubjectKeys.findOrCreate(connection, maria);
              return insertCopy(connection, live, "maria");
            });

    assertThat(Api.code(refused)).isEqualTo("subject-active");
  }

  /// Another live hold like this one, of another requester.
  private static int insertCopy(Connection connection, Api.Hold hold, String requester)
      throws SQLException {
    try (var insert =
        connection.prepareStatement(
            """
            INSERT INTO hold
            SELECT (jsonb_populate_record(h, jsonb_build_object('hold_id', hold_id || 'x',
                                                   'fence', fence + 1000, 'requester', ?::text))).*
              FROM hold h WHERE hold_id = ?
            """)) {
      insert.setString(1, requester);
      insert.setString(2, hold.id());
      return insert.executeUpdate();
    }
  }

  private static void awaitSettled(Rows rows) {
    Await.until(Subscriber.SOON, () -> rows.number("SELECT count(*) FROM outbox") == 0);
  }

  /// The void has written its event, and commits when the shredding waits for it.
  private static HttpResponse<String> shredDuringVoid(
      Service service, Rows rows, Api.Hold hold, String name) {
    var reversals = service.context().getBean(SaleReversals.class);
    var id = HoldId.parse(hold.id()).orElseThrow();
    var why = new SaleReversals.Reason("operator", "a test");
    return shredDuring(
        service,
        rows,
        name,
        connection ->
            assertThat(reversals.reverse(new Transaction(connection), id, why)).isPresent());
  }

  /// The work commits when the shredding waits for it.
  private static HttpResponse<String> shredDuring(
      Service service, Rows rows, String name, Transactions.Work<?> work) {
    var transactions = service.context().getBean(Transactions.class);
    var isDone = new CountDownLatch(1);
    var shredded = new AtomicReference<HttpResponse<String>>();
    List<Runnable> both =
        List.of(
            () ->
                transactions.write(
                    connection -> {
                      work.on(connection);
                      isDone.countDown();
                      Await.until(Subscriber.SOON, () -> isShreddingWaiting(rows));
                      return 0;
                    }),
            () -> {
              Await.until(Subscriber.SOON, () -> isDone.getCount() == 0);
              var path = "/v1/subjects/" + name + "/shred";
              shredded.set(Api.of(service).post(path, Api.token(), "{}"));
            });
    Together.run(
        2,
        i -> {
          both.get(i).run();
          return i;
        });
    return shredded.get();
  }

  private static boolean isShreddingWaiting(Rows rows) {
    return rows.number(
            """
            SELECT count(*) FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock'
               AND (query LIKE '%without_name%' OR query LIKE '%FROM person_key%FOR UPDATE%')
            """)
        > 0;
  }

  private static void assertIsRedacted(Api api, String pool, String name) {
    var events = api.get("/v1/pools/" + pool + "/events").body();
    assertThat(events).contains("commitment.voided", "__redacted").doesNotContain(name);
  }

  private static Event anEventOf(String requester) {
    var commitment = new HashMap<>(FatEventTest.aCommitment());
    commitment.put("requester", requester);
    var person = new DataSubject("operator", requester);
    var fields = List.copyOf(commitment.keySet());
    var embedded = Event.embedEntity(commitment, fields, person, Set.of("requester"));
    var data = FatEventTest.voided(embedded).data();
    return new Event(EventType.COMMITMENT_VOIDED, new PoolName("arena"), "h", data);
  }
}
