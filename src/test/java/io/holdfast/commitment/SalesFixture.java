package io.holdfast.commitment;

import io.holdfast.catalogue.TestPools;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.authorization.AuthorizationNonces;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.CatalogueItem;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.PoolPolicy;
import io.holdfast.postgres.TestLink;
import io.holdfast.postgres.TestSchema;
import io.holdfast.testing.Rows;
import io.holdfast.testing.Samples;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A pool of 100 seats, A-1 to A-100 at 50 euros each, and holds as Redis would have placed and
/// pinned them.
public final class SalesFixture {
  public static final PoolName ARENA = new PoolName("arena");
  public static final Epoch EPOCH = new Epoch(1);
  private static final String SALT = "0123456789abcdef";
  private static final int SEATS = 100;

  private final AtomicLong sequence = new AtomicLong();
  private final Rows rows;
  private final Pool pool;

  private SalesFixture(TestServers servers, Pool pool) {
    this.rows = Rows.of(servers);
    this.pool = pool;
  }

  /// Opens an empty shop on the servers.
  public static SalesFixture open(TestServers servers) throws Exception {
    return open(servers, PoolPolicy.of(PoolKind.SEATS));
  }

  static SalesFixture open(TestServers servers, PoolPolicy policy) throws Exception {
    var schema = new TestSchema(servers);
    schema.migrate();
    schema.clear(
        "commitment",
        "consumed_request",
        "verification",
        "authorization_nonce",
        "attempt",
        "outbox",
        "token_result",
        "hold",
        "item",
        "pool");
    var pool = Pool.fresh(ARENA, PoolKind.SEATS, policy, SEATS, null, null);
    try (var link = TestLink.to(servers.jdbcUrl())) {
      var items = IntStream.rangeClosed(1, SEATS).mapToObj(i -> seat("A-" + i)).toList();
      TestPools.create(link, pool, items);
    }
    return new SalesFixture(servers, pool);
  }

  private static CatalogueItem seat(String name) {
    return new CatalogueItem(new ItemId(name), "A", "1", null, null, null, 5_000);
  }

  public Pool pool() {
    return pool;
  }

  public Rows rows() {
    return rows;
  }

  /// A hold of anna's, placed a minute ago at the next fence and pinned for the first time.
  public HoldRecord hold(String... items) {
    return holdAt(sequence.incrementAndGet(), items);
  }

  public HoldRecord holdAt(long sequence, String... items) {
    return holdAt(Samples.fence(1, sequence), items);
  }

  /// At the fence of any source.
  public HoldRecord holdAt(Fence fence, String... items) {
    return hold(fence, Instant.ofEpochMilli(System.currentTimeMillis() - 60_000), items);
  }

  /// As Redis places it if its clock is ahead of Postgres'.
  public HoldRecord holdPlacedAt(Instant placed, String... items) {
    return hold(Samples.fence(1, sequence.incrementAndGet()), placed, items);
  }

  private static HoldRecord hold(Fence fence, Instant placed, String... items) {
    return new HoldRecord(
        HoldState.HELD,
        fence,
        SALT,
        "shop",
        "anna",
        placed,
        placed.plusSeconds(600),
        placed.plusSeconds(1_800),
        Duration.ofSeconds(600),
        null,
        null,
        1,
        "place-" + fence,
        Stream.of(items).map(ItemId::new).toList(),
        null,
        "",
        null);
  }

  /// A nonce for the hold, good from now on.
  public String nonce(HoldRecord hold, String operation, long seconds) {
    var nonce = "n-" + sequence.incrementAndGet();
    try (var connection = rows.connections().get()) {
      var envelope =
          new AuthorizationNonces.Envelope(hold.id(ARENA), operation, seconds, "operator");
      AuthorizationNonces.insert(connection, envelope, AuthorizationNonces.hash(nonce))
          .orElseThrow();
      return nonce;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  public long count(String table) {
    return rows.number("SELECT count(*) FROM " + table);
  }

  /// Asks for the sale of a hold that is pinned for a minute from now.
  public Ask ask(HoldRecord hold) {
    var deadline = Instant.ofEpochMilli(System.currentTimeMillis() + 60_000);
    return new Ask(
        this,
        "t-" + hold.fence() + "-" + hold.pinNo(),
        hold.id(ARENA),
        hold.requester(),
        hold.fence().value(),
        "order-1",
        null,
        null,
        null,
        new Pinned(hold, deadline, EPOCH));
  }

  /// A request in the making.
  public record Ask(
      SalesFixture shop,
      String token,
      HoldId hold,
      String requester,
      long fence,
      String orderId,
      @Nullable String logicalKey,
      @Nullable String nonce,
      @Nullable String attemptId,
      PinResult intent) {

    public Ask token(String value) {
      return new Ask(
          shop, value, hold, requester, fence, orderId, logicalKey, nonce, attemptId, intent);
    }

    public Ask order(String value) {
      return new Ask(
          shop, token, hold, requester, fence, value, logicalKey, nonce, attemptId, intent);
    }

    public Ask key(@Nullable String value) {
      return new Ask(shop, token, hold, requester, fence, orderId, value, nonce, attemptId, intent);
    }

    public Ask nonce(@Nullable String value) {
      return new Ask(
          shop, token, hold, requester, fence, orderId, logicalKey, value, attemptId, intent);
    }

    Ask attempt(String value) {
      return new Ask(
          shop, token, hold, requester, fence, orderId, logicalKey, nonce, value, intent);
    }

    public Ask intent(PinResult value) {
      return new Ask(
          shop, token, hold, requester, fence, orderId, logicalKey, nonce, attemptId, value);
    }

    public ConfirmRequest confirm() {
      var body =
          Map.of(
              "requester", requester, "fence", fence, "orderId", orderId, "key", "" + logicalKey);
      var digest = Digest.of("confirm", List.of(hold.toString()), body);
      return new ConfirmRequest(
          shop.pool,
          "shop",
          new Token(token),
          digest,
          hold,
          requester,
          fence,
          orderId,
          logicalKey,
          null,
          AuthorizationNonces.hashText(nonce),
          attemptId,
          intent);
    }
  }
}
