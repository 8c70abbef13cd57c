package io.holdfast.idempotency.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The four examples of 001. The guard is the same; its user chooses the window, the matching and
/// the reaction.
@ExtendWith(RealServers.class)
@Requirement("DP-BH-1")
class GuardExamplesTest {
  private static GuardStores stores;

  private final MovedClock clock = new MovedClock();

  @BeforeAll
  static void open(TestServers servers) {
    stores = GuardStores.on(servers);
  }

  @AfterAll
  static void close() {
    stores.close();
  }

  /// The list is the container: deleting, abandoning and expiring are its three ways to remove.
  @Test
  @Requirement({"DP-CO-1", "DP-CO-2", "DP-FL-5"})
  void every_addition_is_checked_first_and_every_successful_removal_is_recorded() {
    var calls = new ArrayList<String>();
    var guard = guard(noting(calls), Duration.ofHours(24), Matching.EXACT);
    var todo = new Todo(guard);

    for (var item : List.of("deleted", "expired", "abandoned")) {
      assertThat(todo.add(item)).isEqualTo("added");
    }
    assertThat(calls).containsExactly("check =deleted", "check =expired", "check =abandoned");
    todo.remove("deleted");
    todo.expireAllBut(1);
    todo.abandonAll();
    todo.remove("never added");
    assertThat(calls.subList(3, calls.size()))
        .containsExactly("record =deleted", "record =expired", "record =abandoned");

    for (var item : List.of("deleted", "expired", "abandoned")) {
      assertThat(todo.add(item)).as(item).isEqualTo("duplicate-recent");
    }
    assertThat(todo.add("never added")).isEqualTo("added");
    assertThat(todo.items()).containsExactly("never added");
  }

  private static GuardStore noting(List<String> calls) {
    return new ForwardingStore(stores.postgres()) {
      @Override
      public void record(GuardRules rules, String identity, Instant now) {
        calls.add("record " + identity);
        super.record(rules, identity, now);
      }

      @Override
      public Optional<Instant> recordedAt(GuardRules rules, String identity) {
        calls.add("check " + identity);
        return super.recordedAt(rules, identity);
      }
    };
  }

  @Test
  @Requirement("DP-EX-1")
  void an_entry_removed_from_a_list_cannot_be_added_for_a_day() {
    var todo = new Todo(guard(stores.postgres(), Duration.ofHours(24), Matching.EXACT));
    assertThat(todo.add("buy milk")).isEqualTo("added");
    todo.remove("buy milk");

    clock.move(Duration.ofHours(2));
    assertThat(todo.add("buy milk")).isEqualTo("duplicate-recent");
    clock.move(Duration.ofHours(23));
    assertThat(todo.add("buy milk")).isEqualTo("added");
  }

  @Test
  @Requirement("DP-EX-2")
  void a_repeated_comment_is_posted_once() {
    var posted = new ArrayList<String>();
    var guard = guard(stores.redis(), Duration.ofSeconds(60), Matching.NORMALISED);

    for (var text : List.of("I agree!", "  i agree! ", "I do not.")) {
      if (guard.check(text) == GuardResult.NOT_SEEN) {
        posted.add(text);
        guard.record(text);
      }
    }

    assertThat(posted).containsExactly("I agree!", "I do not.");
    clock.move(Duration.ofSeconds(60));
    assertThat(guard.check("I agree!")).isEqualTo(GuardResult.NOT_SEEN);
  }

  @Test
  @Requirement("DP-EX-3")
  void a_repeated_charge_gets_the_first_answer_and_charges_nothing() {
    var charges = new Charges(guard(stores.postgres(), Duration.ofMinutes(5), Matching.EXACT));
    var first = charges.charge("key-1", 4200);

    clock.move(Duration.ofMinutes(5).minusMillis(1));
    assertThat(charges.charge("key-1", 4200)).isEqualTo(first);
    assertThat(charges.charge("key-2", 4200)).isNotEqualTo(first);
    assertThat(charges.made).containsExactly(4200, 4200);
    clock.move(Duration.ofMillis(1));
    assertThat(charges.charge("key-1", 4200)).isNotEqualTo(first);
  }

  @Test
  @Requirement("DP-EX-4")
  void a_repeated_subscription_succeeds_and_sends_no_second_letter() {
    var guard = guard(stores.redis(), Duration.ofHours(1), Matching.IGNORING_CASE);
    var subscribers = new TreeSet<String>();
    var letters = new ArrayList<String>();

    for (var address : List.of("ann@example.com", "Ann@Example.com", "ben@example.com")) {
      if (guard.check(address) == GuardResult.NOT_SEEN) {
        subscribers.add(address);
        letters.add(address);
        guard.record(address);
      }
    }

    assertThat(subscribers).containsExactly("ann@example.com", "ben@example.com");
    assertThat(letters).containsExactly("ann@example.com", "ben@example.com");
  }

  private DuplicateGuard guard(GuardStore store, Duration window, Matching matching) {
    var rules = GuardRules.of(GuardStores.aName(), window).matching(matching);
    return new DuplicateGuard(rules, store, clock);
  }

  /// Rejects.
  private record Todo(DuplicateGuard guard, List<String> items) {
    Todo(DuplicateGuard guard) {
      this(guard, new ArrayList<>());
    }

    String add(String item) {
      if (guard.check(item) == GuardResult.SEEN) {
        return "duplicate-recent";
      }
      items.add(item);
      return "added";
    }

    void remove(String item) {
      if (items.remove(item)) {
        guard.record(item);
      }
    }

    /// All items of its owner.
    void abandonAll() {
      List.copyOf(items).forEach(this::remove);
    }

    /// What is older than the given number of later items.
    void expireAllBut(int newest) {
      List.copyOf(items.subList(0, items.size() - newest)).forEach(this::remove);
    }
  }

  /// Repeats an earlier answer.
  private static final class Charges {
    final List<Integer> made = new ArrayList<>();

    private final DuplicateGuard guard;
    private final Map<String, String> answers = new HashMap<>();

    Charges(DuplicateGuard guard) {
      this.guard = guard;
    }

    String charge(String key, int cents) {
      if (guard.check(key) == GuardResult.SEEN) {
        return answers.get(key);
      }
      made.add(cents);
      answers.put(key, "charge " + made.size());
      guard.record(key);
      return answers.get(key);
    }
  }
}
