package io.holdfast.seatmap;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.seatmap.SeatMapSnapshot.State;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/// However slow a listener is, nothing piles up for it: it is sent the current snapshot when it has
/// fallen too far behind.
class SlowListenerTest {
  private static final List<String> ITEMS = List.of("A-1", "A-2");

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final SeatMapFeed feed = new SeatMapFeed();

  @Test
  void a_listener_slightly_behind_gets_each_change() {
    feed.update(snapshot(1, State.FREE));
    var reader = new Reader();
    reader.ask(1);

    feed.update(snapshot(2, State.HELD));
    feed.update(snapshot(3, State.SOLD));
    reader.listener.drain();
    assertThat(reader.taken).hasSize(1);
    reader.ask(5);

    assertThat(reader.taken).hasSize(3);
    assertThat(reader.taken.get(0)).startsWith("event: snapshot");
    assertThat(reader.taken.get(1)).contains("\"state\":\"HELD\"");
    assertThat(reader.taken.get(2)).contains("\"state\":\"SOLD\"");
  }

  @Test
  void a_listener_too_far_behind_gets_only_the_current_snapshot() {
    feed.update(snapshot(1, State.FREE));
    var reader = new Reader();
    reader.ask(1);

    var last = 3 * SeatMapFeed.STEPS_MAX;
    IntStream.rangeClosed(2, last)
        .forEach(
            i -> {
              feed.update(snapshot(i, i % 2 == 0 ? State.HELD : State.FREE));
              reader.listener.drain();
            });
    reader.ask(5_000);

    assertThat(reader.taken).hasSize(2);
    assertThat(reader.taken.get(1))
        .startsWith("event: snapshot\nid: " + last)
        .contains("snapshot " + last);
    assertThat(meters.get("holdfast.live.skipped").counter().count()).isEqualTo(1);
  }

  @Test
  void steps_that_take_more_than_the_snapshot_are_not_kept() {
    var names = IntStream.range(0, 20_000).mapToObj(i -> "seat-%060d".formatted(i)).toList();
    feed.update(snapshot(1, names, State.FREE));
    var reader = new Reader();
    reader.ask(1);

    feed.update(snapshot(2, names, State.HELD));
    reader.ask(5);

    assertThat(reader.taken).hasSize(2);
    assertThat(reader.taken.get(1)).startsWith("event: snapshot\nid: 2");
  }

  @Test
  void the_same_map_under_another_version_is_not_sent_again() {
    feed.update(snapshot(1, State.FREE));
    var reader = new Reader();
    reader.ask(5);

    assertThat(feed.update(snapshot(2, State.FREE))).isFalse();
    feed.update(snapshot(3, State.HELD));
    reader.listener.drain();

    assertThat(reader.taken).hasSize(2);
    assertThat(feed.number()).isEqualTo(3);
  }

  @Test
  void a_snapshot_that_corrects_one_of_the_same_number_is_sent_under_growing_ids() {
    feed.update(snapshot(1, State.FREE));
    var reader = new Reader();
    reader.ask(5);

    feed.update(snapshot(1, State.HELD));
    feed.update(snapshot(1, State.SOLD));
    feed.update(snapshot(2, State.FREE));
    reader.listener.drain();

    assertThat(reader.taken).hasSize(4);
    assertThat(reader.taken.stream().map(SlowListenerTest::id)).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void an_id_of_another_map_with_the_same_number_is_not_taken_for_ours() {
    feed.update(snapshot(1, State.FREE));
    var ours = new SnapshotEventId(snapshot(1, State.FREE), 0).whole();
    var theirs = new SnapshotEventId(snapshot(1, State.HELD), 0).whole();

    assertThat(feed.positionOf(ours)).isNotEqualTo(SeatMapFeed.NOWHERE);
    assertThat(feed.positionOf(theirs)).isEqualTo(SeatMapFeed.NOWHERE);
  }

  @Test
  void a_heartbeat_does_not_replace_an_unsent_status() {
    feed.update(snapshot(1, State.FREE));
    var reader = new Reader();
    reader.ask(1);

    reader.listener.sendNote(SseFrames.outage("Redis gave no answer"));
    reader.listener.sendHeartbeat();
    reader.ask(1);
    reader.listener.sendHeartbeat();
    reader.ask(1);

    assertThat(reader.taken).hasSize(3);
    assertThat(reader.taken.get(1)).contains("\"live\":false");
    assertThat(reader.taken.get(2)).isEqualTo(": still here\n\n");
  }

  @Test
  void a_listener_without_a_subscriber_leaves_when_it_is_ended() {
    var left = new ArrayList<SseSubscription>();
    var listener = new SseSubscription(feed, null, new StreamMeters(meters), left::add);

    listener.end();

    assertThat(left).containsExactly(listener);
  }

  private static BigInteger id(String frame) {
    var line = frame.lines().filter(each -> each.startsWith("id: ")).findFirst();
    return new BigInteger(line.orElseThrow().substring("id: ".length()));
  }

  private static SeatMapSnapshot snapshot(long number, State first) {
    var states = List.of(first, State.FREE);
    return new SeatMapSnapshot(
        "", number, ITEMS, states, "", ("snapshot " + number).getBytes(UTF_8));
  }

  private static SeatMapSnapshot snapshot(long number, List<String> names, State all) {
    var states = names.stream().map(_ -> all).toList();
    return new SeatMapSnapshot("", number, names, states, "", new byte[100]);
  }

  /// Takes no more than it has asked for.
  private final class Reader implements Subscriber<byte[]> {
    private final List<String> taken = new ArrayList<>();
    private final SseSubscription listener =
        new SseSubscription(feed, null, new StreamMeters(meters), _ -> {});
    private Subscription subscription;

    Reader() {
      listener.subscribe(this);
    }

    void ask(long count) {
      subscription.request(count);
    }

    @Override
    public void onSubscribe(Subscription given) {
      subscription = given;
    }

    @Override
    public void onNext(byte[] frames) {
      taken.add(new String(frames, UTF_8));
    }

    @Override
    public void onError(Throwable failure) {
      throw new AssertionError(failure);
    }

    @Override
    public void onComplete() {}
  }
}
