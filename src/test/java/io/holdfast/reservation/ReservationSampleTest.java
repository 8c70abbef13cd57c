package io.holdfast.reservation;

import static io.holdfast.testing.RetryingClient.PATIENCE;
import static io.holdfast.testing.RetryingClient.decided;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The samples of the *Reservation Pattern* that have a race of their own. Calls go to two
/// instances at once.
///
/// The other samples are tests in `ReservationTest`: `reserve` of the target state with its TTL and
/// its correlation id, concurrent reservations, expiry, concurrent confirms, and a release.
@ExtendWith(RealServers.class)
class ReservationSampleTest {
  private static final Map.Entry<String, String> CONFIRM =
      Map.entry("/confirm", "{\"entityId\":\"user-1\"}");
  private static final Map.Entry<String, String> RELEASE = Map.entry("/release", "{}");

  private static Service other;
  private static Api api;
  private static List<Reservations> instances;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers servers, Service service) {
    other = RealServers.start(servers, Map.of());
    api = Api.of(service);
    instances = List.of(new Reservations(api), new Reservations(Api.of(other)));
    rows = Rows.of(servers);
  }

  @AfterAll
  static void close() {
    other.close();
    assertThat(Http.json(api.get("/v1/audit/report")).get("ok").asBoolean()).isTrue();
  }

  /// *Current State*: `if (!exists) { await db.insert("users", { email }); // Both may succeed! }`.
  /// All callers look before any of them goes on, so all of them see a free e-mail. The table has
  /// no unique index.
  @Test
  @Requirement({"RV-DL-1", "RV-INV-1"})
  void current_state_of_all_who_saw_the_email_free_one_creates_the_user() {
    var type = aType();
    var allHaveLooked = new CyclicBarrier(24);
    rows.change("CREATE TABLE users (email text NOT NULL)");

    try {
      var seen =
          Together.run(
              24,
              i -> {
                var exists = instance(i).find(type + ":alice@example.com").statusCode() == 200;
                pass(allHaveLooked);
                var reserved = instance(i).reserve(type, "alice@example.com");
                if (!exists && reserved.statusCode() == 201) {
                  rows.change("INSERT INTO users VALUES ('alice@example.com')");
                  instance(i).confirm(Reservations.id(reserved), "user-" + i);
                }
                return exists;
              });

      assertThat(seen).containsOnly(false);
      assertThat(rows.number("SELECT count(*) FROM users")).isOne();
      assertThat(Reservations.status(instance(0).find(type + ":alice@example.com")))
          .isEqualTo("confirmed");
    } finally {
      rows.change("DROP TABLE users");
    }
  }

  /// *Reservation expires after TTL*, at the moment of expiry: the first caller confirms, others
  /// reserve, and the sweeps of two instances end what has lapsed. Some confirms are in time,
  /// others are late. Each value has one owner afterwards.
  @Test
  @Requirement("RV-INV-1")
  void expires_after_ttl_a_late_confirm_and_the_next_reservation_do_not_both_get_the_value() {
    var type = aType();
    var values = IntStream.range(0, 8).mapToObj(i -> "user-" + i + "@example.com").toList();
    var first =
        values.stream()
            .map(value -> instance(0).reserve(Api.token(), type, value, "1000"))
            .toList();

    var answers =
        Together.run(
            32,
            i ->
                i < 8
                    ? confirmedBeforeExpiry(first.get(i), Duration.ofMillis(80L * i))
                    : reservedInTheEnd(instance(i / 8), type, values.get(i % 8)));

    for (var value = 0; value < 8; value++) {
      var own = value;
      var owners =
          IntStream.range(0, 32)
              .filter(i -> i % 8 == own)
              .mapToObj(answers::get)
              .filter(answer -> answer.statusCode() < 300)
              .toList();
      assertThat(owners).as(values.get(value)).hasSize(1);
      assertThat(Reservations.id(instance(1).find(type + ":" + values.get(value))))
          .isEqualTo(Reservations.id(owners.getFirst()));
    }
  }

  /// *User cancels registration* in one tab and completes it in another one, while others wait for
  /// the value. Either the user has it, or one of the others.
  @RepeatedTest(8)
  @Requirement({"RV-INV-3", "RV-INV-4"})
  void user_cancels_registration_a_release_and_a_confirm_do_not_both_succeed() {
    var type = aType();
    var id = instance(0).reserved(type, "alice");

    var ends = Together.run(8, i -> i < 6 ? ended(i, id, CONFIRM) : ended(i, id, RELEASE));
    var next = Together.run(8, i -> instance(i).reserve(type, "alice"));

    assertThat(succeeded(ends)).hasSize(1);
    var isConfirmed = Reservations.status(succeeded(ends).getFirst()).equals("confirmed");
    assertThat(succeeded(next)).hasSize(isConfirmed ? 0 : 1);
    assertThat(rows.number("SELECT count(*) FROM commitment WHERE hold_id = ?", id))
        .isEqualTo(isConfirmed ? 1 : 0);
  }

  /// *Reservation key is type-scoped*: e-mail `alice@example.com` and user name `alice`, and the
  /// same value in both types, all at once.
  @Test
  @Requirement("RV-INV-5")
  void key_is_type_scoped_each_key_is_given_to_one_of_all_who_want_it() {
    var email = aType();
    var username = aType();
    var keys =
        List.of(
            email + ":alice@example.com",
            username + ":alice",
            email + ":alice",
            username + ":alice@example.com");

    var answers =
        Together.run(
            32,
            i -> {
              var key = keys.get(i % 4).split(":");
              return instance(i / 4).reserve(key[0], key[1]);
            });

    assertThat(succeeded(answers))
        .extracting(answer -> Http.json(answer).get("key").asText())
        .containsExactlyInAnyOrderElementsOf(keys);
  }

  /// A type that both instances know.
  private static String aType() {
    var type = Reservations.type();
    instances.forEach(each -> each.reserve(type, "another value"));
    return type;
  }

  private static Reservations instance(int number) {
    return instances.get(number % 2);
  }

  private static List<HttpResponse<String>> succeeded(List<HttpResponse<String>> answers) {
    return answers.stream().filter(answer -> answer.statusCode() < 300).toList();
  }

  private static HttpResponse<String> confirmedBeforeExpiry(
      HttpResponse<String> reserved, Duration before) {
    Await.moment(Api.time(reserved, "expiresAt").minus(before));
    return ended(0, Reservations.id(reserved), CONFIRM);
  }

  /// Retries with the same token.
  private static HttpResponse<String> ended(int number, String id, Map.Entry<String, String> call) {
    var token = Api.token();
    var path = "/v1/reservations/" + id + call.getKey();
    return decided(() -> instance(number).api().post(path, token, call.getValue()));
  }

  /// Tries until the value has an owner who keeps it: the caller, or anybody with more time than
  /// the first one had.
  private static HttpResponse<String> reservedInTheEnd(
      Reservations instance, String type, String value) {
    var last = new AtomicReference<HttpResponse<String>>();
    Await.until(
        PATIENCE,
        () -> {
          last.set(instance.reserve(type, value));
          return last.get().statusCode() == 201 || hasLastingOwner(instance, type, value);
        });
    return last.get();
  }

  private static boolean hasLastingOwner(Reservations instance, String type, String value) {
    var owner = instance.find(type + ":" + value);
    return owner.statusCode() == 200
        && (Http.json(owner).get("expiresAt").isNull()
            || Api.time(owner, "expiresAt").isAfter(Instant.now().plusSeconds(60)));
  }

  private static void pass(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (BrokenBarrierException e) {
      throw new IllegalStateException(e);
    }
  }
}
