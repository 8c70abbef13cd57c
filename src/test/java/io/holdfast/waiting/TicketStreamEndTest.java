package io.holdfast.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.pool.TicketId;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import io.holdfast.waiting.TicketListeners.SubscribeResult;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/// A ticket is listened to only while a client has its response.
@ExtendWith(RealServers.class)
class TicketStreamEndTest {

  @Test
  void a_client_that_left_before_its_response_is_not_listened_for(Service service) {
    var listeners = service.context().getBean(TicketListeners.class);
    var accepted = accepted(service, Room.of(Api.of(service), 10, "").ticket("u1"));
    var client = new Client();

    assertThat(listeners.all()).isEmpty();
    accepted.subscribe(client);
    assertThat(listeners.all()).containsExactly(accepted);
    client.subscription.cancel();
    assertThat(listeners.all()).isEmpty();
  }

  @Test
  void a_client_whose_response_is_sent_after_the_limit_was_reached_gets_one_event(Service service) {
    var ticket = Room.of(Api.of(service), 10, "").ticket("u1");
    var accepted = accepted(service, ticket);
    var first = Stream.generate(Client::new).limit(TicketListeners.PER_TICKET_MAX).toList();
    first.forEach(client -> accepted(service, ticket).subscribe(client));
    var late = new Client();

    accepted.subscribe(late);

    assertThat(late.events).isEqualTo(1);
    assertThat(late.isOver).isTrue();
    first.forEach(client -> client.subscription.cancel());
  }

  @Test
  void a_stop_ends_the_streams_and_those_that_start_later(TestServers servers) {
    try (var service = RealServers.start(servers, Map.of())) {
      var listeners = service.context().getBean(TicketListeners.class);
      var ticket = Room.of(Api.of(service), 10, "").ticket("u1");
      var listener = TicketListener.to(Api.of(service), ticket);
      var accepted = accepted(service, ticket);
      var late = new Client();

      listeners.close();
      accepted.subscribe(late);

      assertThat(late.isOver).isTrue();
      Await.until(Room.PATIENCE, () -> !listener.isOpen() && listeners.all().isEmpty());
    }
  }

  /// What the controller gets to send.
  private static TicketSubscription accepted(Service service, String ticket) {
    var id = TicketId.parse(ticket).orElseThrow();
    var pool = service.context().getBean(PoolRegistry.class).find(id.pool()).orElseThrow();
    var answer =
        service
            .context()
            .getBean(TicketListeners.class)
            .subscribe(pool, id, "operator")
            .toCompletableFuture()
            .join();
    assertThat(answer).isInstanceOf(SubscribeResult.Subscribed.class);
    return ((SubscribeResult.Subscribed) answer).subscription();
  }

  private static final class Client implements Subscriber<byte[]> {
    private volatile Subscription subscription;
    private volatile int events;
    private volatile boolean isOver;

    @Override
    public void onSubscribe(Subscription given) {
      subscription = given;
      given.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(byte[] event) {
      events++;
    }

    @Override
    public void onError(Throwable failure) {
      isOver = true;
    }

    @Override
    public void onComplete() {
      isOver = true;
    }
  }
}
