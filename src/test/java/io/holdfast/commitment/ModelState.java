package io.holdfast.commitment;

import java.util.Arrays;

/// One state of the model: the data of Redis and Postgres on one item and on the holds of two
/// requesters, and the calls in flight. It takes a few bytes, so that millions fit in memory.
public final class ModelState {
  static final int HOLDS = 2;
  static final int CONFIRMS = 2;
  private static final int LINES_MAX = 8;

  // How a hold stands, in Redis as in Postgres.
  public static final int NONE = 0;
  public static final int HELD = 1;
  static final int CONFIRMED = 2;
  static final int RELEASED = 3;
  static final int EXPIRED = 4;

  // How the item stands in Postgres.
  public static final int FREE = 0;
  static final int SOLD = 2;

  /// The places of the values; those that are there once for each hold or call are next to each
  /// other.
  public enum Cell {
    // Redis
    OPEN,
    REDIS_EPOCH,
    SEQUENCE,
    HOLDER,
    KNOWN_SOLD,
    RECORD(HOLDS),
    PIN(HOLDS),
    LINES,
    LINE(LINES_MAX),
    // Postgres
    EPOCH,
    RAISED,
    STATUS,
    ITEM_FENCE,
    ITEM_HOLDER,
    ROW(HOLDS),
    ROW_PIN(HOLDS),
    OUTBOX(HOLDS),
    // calls under way: the hold's number, or 0
    CONFIRM(CONFIRMS),
    CONFIRM_PIN(CONFIRMS),
    CONFIRM_EPOCH(CONFIRMS),
    CONFIRM_DEADLINE(CONFIRMS),
    RELEASE,
    RELEASE_PIN,
    RELEASE_EPOCH,
    RESOLVER,
    RESOLVER_PIN,
    RESOLVER_EPOCH,
    RESOLVER_NEXT,
    // the rest
    FENCE(HOLDS),
    NOW,
    HIGHEST_SALE,
    PINS_LEFT,
    RELEASES_LEFT,
    LOSSES_LEFT,
    KEY_LOSSES_LEFT,
    VOIDS_LEFT,
    COPIES_LEFT,
    /// Redis as a replica, or the file on its disk, has it: the first cells once more.
    COPY_IS_THERE,
    COPY(7 + 2 * HOLDS + LINES_MAX);

    private final int width;
    private int place;

    Cell() {
      this(1);
    }

    Cell(int width) {
      this.width = width;
    }

    static {
      var next = 0;
      for (var cell : values()) {
        cell.place = next;
        next += cell.width;
      }
    }

    static int size() {
      return COPY.place + COPY.width;
    }
  }

  private static final int REDIS_CELLS = Cell.EPOCH.place;

  private final byte[] values;

  private ModelState(byte[] values) {
    this.values = values;
  }

  ModelState() {
    this(new byte[Cell.size()]);
  }

  ModelState copy() {
    return new ModelState(values.clone());
  }

  public int get(Cell cell) {
    return values[cell.place];
  }

  public int get(Cell cell, int index) {
    return values[cell.place + index];
  }

  ModelState set(Cell cell, int value) {
    values[cell.place] = (byte) value;
    return this;
  }

  ModelState set(Cell cell, int index, int value) {
    values[cell.place + index] = (byte) value;
    return this;
  }

  ModelState less(Cell cell) {
    values[cell.place]--;
    return this;
  }

  /// A line at the end of the journal: the state of the hold and its pin number at that time.
  void journal(int hold, int state, int pin) {
    var length = get(Cell.LINES);
    if (length == LINES_MAX) {
      throw new IllegalStateException("the model's journal is too short");
    }
    set(Cell.LINE, length, hold | state << 1 | pin << 4);
    set(Cell.LINES, length + 1);
  }

  boolean hasLineOf(int hold, int state) {
    for (var i = 0; i < get(Cell.LINES); i++) {
      if ((get(Cell.LINE, i) & 15) == (hold | state << 1)) {
        return true;
      }
    }
    return false;
  }

  /// Takes the oldest line away.
  Line oldestLine() {
    var line = get(Cell.LINE, 0);
    var length = get(Cell.LINES);
    for (var i = 1; i < length; i++) {
      set(Cell.LINE, i - 1, get(Cell.LINE, i));
    }
    set(Cell.LINE, length - 1, 0);
    set(Cell.LINES, length - 1);
    return new Line(line & 1, line >> 1 & 7, line >> 4);
  }

  record Line(int hold, int state, int pin) {}

  /// Redis has lost its data.
  void forget() {
    Arrays.fill(values, 0, REDIS_CELLS, (byte) 0);
  }

  void takeCopy() {
    System.arraycopy(values, 0, values, Cell.COPY.place, REDIS_CELLS);
    set(Cell.COPY_IS_THERE, 1);
  }

  /// Redis has the data of the copy, which is used up.
  void becomeCopy() {
    System.arraycopy(values, Cell.COPY.place, values, 0, REDIS_CELLS);
    Arrays.fill(values, Cell.COPY.place, values.length, (byte) 0);
    set(Cell.COPY_IS_THERE, 0);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ModelState world && Arrays.equals(values, world.values);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(values);
  }
}
