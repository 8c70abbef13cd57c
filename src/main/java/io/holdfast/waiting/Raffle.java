package io.holdfast.waiting;

import io.holdfast.journal.JournalDrainer;
import io.holdfast.journal.JournalDrainer.DrainOutcome.Emptied;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.WaitingRoom.Order;
import io.holdfast.waiting.RaffleTable.Row;
import io.holdfast.waiting.WaitingReplies.Head;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The opening of a waiting room. A raffle deals the places of the tickets that joined before the
/// opening anew, once: in the order of SHA-256 of the seed and the number of the ticket. The hash
/// of the seed is on record before, so nobody can choose a seed. Postgres has the result first;
/// Redis is arranged after it, and nobody is admitted before that is done.
@Singleton
final class Raffle {
  private static final Logger LOG = LoggerFactory.getLogger(Raffle.class);
  private static final int SEED_BYTES = 32;
  private static final int CHUNK = 500;

  private final RaffleTable table;
  private final WaitingScripts scripts;
  private final JournalDrainer drainer;
  private final SecureRandom random;

  /// Rooms whose raffle is over; what was true once stays true.
  private final Set<PoolName> over = ConcurrentHashMap.newKeySet();

  Raffle(RaffleTable table, WaitingScripts scripts, JournalDrainer drainer, SecureRandom random) {
    this.table = table;
    this.scripts = scripts;
    this.drainer = drainer;
    this.random = random;
  }

  /// Whether tickets may be admitted. Of two clocks that differ, the later opening counts.
  boolean isOver(Pool pool, Instant postgresNow, Instant redisNow) {
    var room = WaitingScripts.room(pool);
    if (isBefore(postgresNow, redisNow, room.opensAt())) {
      return false;
    }
    return room.order() == Order.FIFO || over.contains(pool.name()) || isArranged(pool.name());
  }

  private boolean isArranged(PoolName pool) {
    var isArranged = table.find(pool).filter(row -> row.arrangedAt() != null).isPresent();
    if (isArranged) {
      over.add(pool);
    }
    return isArranged;
  }

  private static boolean isBefore(
      Instant postgresNow, Instant redisNow, @Nullable Instant opensAt) {
    return opensAt != null && (postgresNow.isBefore(opensAt) || redisNow.isBefore(opensAt));
  }

  /// Publishes the hash of the seed, and draws after the opening. Each step may be repeated, also
  /// by two instances at once.
  ///
  /// @param head of the queue as it was just read
  void drawIfDue(Pool pool, Head head) {
    var name = pool.name();
    var room = WaitingScripts.room(pool);
    if (room.order() == Order.FIFO || room.opensAt() == null || over.contains(name)) {
      return;
    }
    var row = table.find(name).orElseGet(() -> create(name));
    if (isBefore(row.now(), head.now(), room.opensAt()) || row.arrangedAt() != null) {
      return;
    }
    if (row.drawnAt() == null && !draw(name, room.opensAt(), head)) {
      return;
    }
    arrange(name);
    table.setArranged(name);
  }

  /// Returns false, and draws nothing, unless Postgres has every ticket that joined before the
  /// opening: it had come by Redis' clock when the head was read, the journal is drained since, and
  /// Redis was not lost meanwhile.
  private boolean draw(PoolName pool, Instant opensAt, Head head) {
    if (!(drainer.drainAll(pool) instanceof Emptied)) {
      return false;
    }
    var tickets = table.draw(pool, opensAt, new Epoch(head.counts().epoch()));
    tickets.ifPresent(
        count -> LOG.info("The raffle of pool {} was drawn among {} tickets", pool, count));
    return tickets.isPresent();
  }

  private Row create(PoolName pool) {
    var seed = new byte[SEED_BYTES];
    random.nextBytes(seed);
    table.create(pool, seed);
    return table.find(pool).orElseThrow();
  }

  private void arrange(PoolName pool) {
    for (var after = 0L; ; ) {
      var chunk = table.places(pool, after, CHUNK);
      if (chunk.isEmpty()) {
        return;
      }
      var arguments = new ArrayList<String>(2 * chunk.size());
      for (var each : chunk) {
        arguments.add(Long.toString(each.number()));
        arguments.add(Long.toString(each.place()));
      }
      scripts.arrange(pool, arguments);
      after = chunk.getLast().number();
    }
  }

  /// A ticket and its place.
  record Place(long number, long place) {}

  /// Deals the places of the tickets anew.
  static List<Place> deal(byte[] seed, List<Place> tickets) {
    var drawn =
        tickets.stream()
            .map(ticket -> new HashedTicket(ticket.number, hash(seed, ticket.number)))
            .sorted(Comparator.comparing(HashedTicket::hash, Arrays::compareUnsigned))
            .toList();
    var places = tickets.stream().mapToLong(Place::place).sorted().toArray();
    var dealt = new ArrayList<Place>(places.length);
    for (var i = 0; i < places.length; i++) {
      dealt.add(new Place(drawn.get(i).number, places[i]));
    }
    return dealt;
  }

  private record HashedTicket(long number, byte[] hash) {}

  /// SHA-256 of the seed followed by the decimal digits of the number.
  private static byte[] hash(byte[] seed, long number) {
    var sha256 = sha256();
    sha256.update(seed);
    return sha256.digest(Long.toString(number).getBytes(StandardCharsets.US_ASCII));
  }

  /// What is published before the draw.
  static String commitment(byte[] seed) {
    return HexFormat.of().formatHex(sha256().digest(seed));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
