package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.activity.ActivePools;
import io.holdfast.app.Service;
import io.holdfast.catalogue.Catalogue;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.hold.HoldOutcome.Decided;
import io.holdfast.hold.pin.PinSettings;
import io.holdfast.hold.seatsearch.BestSeats;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.idempotency.store.ReplayLog;
import io.holdfast.journal.JournalBackpressure;
import io.holdfast.journal.RequestRate;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.StoredOutcome.Held;
import io.holdfast.pool.TokenAction;
import io.holdfast.redis.RedisScripts;
import io.holdfast.redis.TestBatches;
import io.holdfast.seeding.PoolScripts;
import io.holdfast.seeding.PoolSeeder;
import io.holdfast.testing.Api;
import io.holdfast.testing.RetryingClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;

/// An instance of the service that searches adjacent seats, with its own cache of seats.
record SearchInstance(BestSeats seats) {

  /// @param scripts that its calls go through
  static SearchInstance of(Service service, RedisScripts scripts) {
    var beans = service.context();
    var desk =
        new HoldService(
            new HoldScripts(
                TestBatches.of(scripts),
                scripts,
                beans.getBean(PoolScripts.class),
                beans.getBean(ActivePools.class),
                beans.getBean(PinSettings.class)),
            beans.getBean(PoolSeeder.class),
            beans.getBean(JournalBackpressure.class),
            beans.getBean(HoldIdRandom.class),
            beans.getBean(RequestRate.class),
            beans.getBean(ReplayLog.class));
    return new SearchInstance(
        new BestSeats(
            desk,
            beans.getBean(Catalogue.class),
            beans.getBean(PoolRegistry.class),
            Executors.newVirtualThreadPerTaskExecutor()));
  }

  /// A pool that is in Redis.
  static Pool open(Service service, String name) {
    RetryingClient.decided(
        () -> Api.of(service).get("/v1/pools/" + name)); // large ones take a while
    assertThat(Api.of(service).counts(name)).contains("free");
    return service.context().getBean(PoolRegistry.class).find(new PoolName(name)).orElseThrow();
  }

  CompletableFuture<HoldOutcome> ask(Pool pool, String requester, int count) {
    var name = Api.token();
    var token = (Token) Token.of(name, Token.LENGTH_MAX_DEFAULT);
    var call =
        new IdempotentRequest(
            TokenAction.PLACE_HOLD, "shop", pool, token, Digest.of(name, List.of(), Map.of()));
    var wish =
        new PlaceHoldBody(
            requester, List.of(), null, count, null, pool.policy().lease().toSeconds(), null);
    return seats.place(call, wish).toCompletableFuture();
  }

  /// The decision of a search that has ended.
  static StoredOutcome decided(CompletableFuture<HoldOutcome> end) {
    return ((Decided) end.getNow(null)).outcome();
  }

  static List<String> items(List<CompletableFuture<HoldOutcome>> ends) {
    var items = new ArrayList<String>();
    for (var end : ends) {
      var outcome = decided(end);
      assertThat(outcome).isInstanceOf(Held.class);
      ((Held) outcome).hold().items().stream().map(ItemId::value).forEach(items::add);
    }
    return items;
  }
}
