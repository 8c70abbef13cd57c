package io.holdfast.bench;

import io.holdfast.load.HoldTexts;
import io.holdfast.load.LoadRun;
import io.holdfast.load.Numbered;
import io.holdfast.load.Pace;
import io.holdfast.load.Requests;
import io.holdfast.load.Seats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// A running service, its pools, and the items in them that no turn has taken yet.
final class Stage implements AutoCloseable {
  private static final Duration DRAIN_MAX = Duration.ofMinutes(3);
  private static final int SPARE_ITEMS = 2; // of each pool: to wake it, and for an example
  private static final char WHO = 'u';
  private static final char WHO_BEST = 'v';
  private static final char WHO_UNIT = 'x';
  private static final char WHO_VALUE = 'y';
  private static final char WHO_WAITS = 'q';
  private static final char WHO_BIDS = 'a';
  private static final char WHO_RAISES = 'z';
  private static final long BIDDERS_AN_AUCTION = 9_900; // an auction takes 10,000
  private static final long RAISERS = 1_000;
  private static final long CAPACITY = 1_000_000_000;

  private final ServiceProcess service;
  private final Operator operator;
  private final Seats seats;
  private final long itemsPerPool;
  private final List<String> names = new ArrayList<>();
  private int pools;
  private long next;
  private long nextBest;
  private long nextUnit;
  private long nextValue;
  private long nextJoin;
  private long nextBid;
  private long nextRaise;
  private long auctions;

  private Stage(ServiceProcess service, Seats seats, long itemsPerPool) {
    this.service = service;
    this.operator = new Operator(service.http());
    this.seats = seats;
    this.itemsPerPool = itemsPerPool;
  }

  static Stage of(Seats seats, long itemsPerPool) {
    return new Stage(ServiceProcess.start(), seats, itemsPerPool);
  }

  /// The same with other settings.
  static Stage of(Seats seats, long itemsPerPool, Map<String, String> more) {
    return new Stage(ServiceProcess.start(more), seats, itemsPerPool);
  }

  /// Sends one request to each pool, so that it is seeded before the measurement.
  void addPool() {
    addPool(HoldTexts.pool(pools));
    pools++;
  }

  private void addPool(String pool) {
    operator.makePool(pool, itemsPerPool + SPARE_ITEMS);
    operator.place(pool, HoldTexts.item(itemsPerPool), "w-000000001", "wake-" + pool);
    names.add(pool);
  }

  /// The same for a pool of more units than are ever held.
  void addStock(String stock) {
    operator.makeStock(stock, CAPACITY);
    operator.placeUnit(stock, "w-000000003", "wake-" + stock);
    names.add(stock);
  }

  /// The same for the pool of a type of values.
  void addType(String type) {
    operator.reserve(type, "w-000000004", "wake-" + type);
    names.add(type);
  }

  /// The same for a waiting room.
  void addRoom(String room) {
    operator.makeRoom(room);
    operator.join(room, "w-000000005", "wake-" + room);
    names.add(room);
  }

  /// The same for an auction.
  void addAuction(String auction) {
    operator.makeAuction(auction);
    operator.bid(auction, "w-000000006", "wake-" + auction);
    names.add(auction);
  }

  /// Makes auctions until so many new bidders find a place.
  void requireBidders(long count) {
    for (; auctions * BIDDERS_AN_AUCTION < nextBid + count; auctions++) {
      addAuction(RequestTexts.auction(auctions));
    }
  }

  /// Makes pools until so many items are free.
  void requireFree(long count) {
    requireFree(count, 1);
  }

  /// The same, so many pools at a time.
  void requireFree(long count, int poolsAtATime) {
    while (free() < count) {
      for (int i = 0; i < poolsAtATime; i++) {
        addPool();
      }
    }
  }

  /// Holds under new tokens for new requesters, of an item each that was free until then.
  Requests freshHolds() {
    return new Numbered(RequestTexts.hold(WHO), this::takeNext, seats);
  }

  /// Holds of two seats each that the service chooses, in a new pool of their own.
  Requests bestHolds() {
    var pool = "best-" + names.size();
    addPool(pool);
    operator.placeBest(pool, "w-000000002", "wake-rows-" + pool);
    return new Numbered(RequestTexts.best(WHO_BEST, pool), () -> nextBest++, seats);
  }

  /// Holds under new tokens for new requesters, of one unit each.
  Requests unitHolds(String stock) {
    return new Numbered(RequestTexts.unitHold(WHO_UNIT, stock), () -> nextUnit++, seats);
  }

  /// Reservations under new tokens, of a new value each.
  Requests reservations(String type) {
    return new Numbered(RequestTexts.reservation(WHO_VALUE, type), () -> nextValue++, seats);
  }

  /// Joins under new tokens, of new requesters.
  Requests joins(String room) {
    return new Numbered(RequestTexts.join(WHO_WAITS, room), () -> nextJoin++, seats);
  }

  /// Bids under new tokens, of new bidders in auctions that have few.
  Requests bids() {
    var places = Seats.inOrder(BIDDERS_AN_AUCTION);
    var requester = HoldTexts.requester(WHO_BIDS);
    return new Numbered(
        RequestTexts.bid(WHO_BIDS, RequestTexts.AUCTION, requester), () -> nextBid++, places);
  }

  /// Bids under new tokens, of the same thousand bidders.
  Requests raises(String auction) {
    var bidders = Seats.inOrder(RAISERS);
    return new Numbered(
        RequestTexts.bid(WHO_RAISES, auction, HoldTexts.ITEM), () -> nextRaise++, bidders);
  }

  /// The fresh holds without the service.
  Requests rawHolds() {
    var spare = HoldTexts.item(itemsPerPool + 1);
    var command = PlaceCommand.overhear(service.redis(), operator, HoldTexts.pool(0), spare);
    return new Numbered(command, this::takeNext, seats);
  }

  /// The first requests of a JVM, which are not measured.
  void thaw(int connections, long count) {
    Driver.run(
        service.door(), Load.counted(freshHolds(), Load.Expected.ANYTHING, connections, count));
    drain();
  }

  Prelude placeSome(int count, int connections) {
    List<String> holds = new ArrayList<>();
    var first = next;
    var load = Load.counted(freshHolds(), Load.Expected.CREATED, connections, count);
    Driver.run(service.door(), load, holds::add);
    return new Prelude(seats, first, holds);
  }

  /// The bodies that answered holds, reservations or joins, of as many that were asked for; a busy
  /// machine may fail a few of them.
  List<String> place(Requests requests, int count, int connections) {
    List<String> answers = new ArrayList<>();
    var load = Load.counted(requests, Load.Expected.ANYTHING, connections, count);
    Driver.run(service.door(), load, answers::add);
    return answers.stream().filter(Stage::isPlaced).toList();
  }

  private static boolean isPlaced(String answer) {
    return Stream.of("\"holdId\"", "\"reservationId\"", "\"ticket\"").anyMatch(answer::contains);
  }

  Measured measure(Load load) {
    return Measured.by(service, () -> Driver.run(service.door(), load));
  }

  /// What is measured besides the service, on the same machine and the same servers.
  Measured measure(Supplier<Turn> turn) {
    return Measured.by(service, turn);
  }

  /// Fresh holds by the load driver. It ends when no item is free any more.
  LoadRun load(int connections, Pace pace) {
    return new LoadRun(service.door(), freshHolds(), connections, pace, free());
  }

  Database database() {
    return service.database();
  }

  Measured measureRaw(Requests commands, long count) {
    try (var pipeline = new Pipeline(service.redis(), commands)) {
      return Measured.by(service, () -> pipeline.run(count));
    }
  }

  /// Waits until the journal is in Postgres, so that no turn pays for the one before.
  Drain drain() {
    try (var redis = redis()) {
      var lag = journalLag(redis);
      var time = Waiting.until(DRAIN_MAX, "the journal is drained", () -> journalLag(redis) == 0);
      return new Drain(lag, time);
    }
  }

  /// Lines that are in Redis and not in Postgres yet, over all pools. The metric of the service
  /// tells the same, but up to a second later.
  long journalLag(RedisWire redis) {
    return names.stream().mapToLong(pool -> (Long) redis.ask("XLEN", journal(pool))).sum();
  }

  RedisWire redis() {
    return new RedisWire(service.redis());
  }

  /// What Redis uses for everything but the streams of the journal.
  long bytesWithoutJournal(RedisWire redis) {
    var journals = names.stream().mapToLong(pool -> journalBytes(redis, pool)).sum();
    return redis.info("memory", "used_memory") - journals;
  }

  private static long journalBytes(RedisWire redis, String pool) {
    var usage = redis.ask("MEMORY", "USAGE", journal(pool), "SAMPLES", "0");
    return usage instanceof Long bytes ? bytes : 0; // there is none yet
  }

  private static String journal(String pool) {
    return "{p:" + pool + "}:journal";
  }

  @Override
  public void close() {
    service.close();
  }

  private long free() {
    return pools * itemsPerPool - next;
  }

  private long takeNext() {
    return next++;
  }

  /// @param lag lines that were waiting when the turn ended
  record Drain(long lag, Duration time) {}
}
