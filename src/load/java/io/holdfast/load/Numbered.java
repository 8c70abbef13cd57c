package io.holdfast.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/// A request text of fixed length whose digits change, so that the driver builds a request at
/// almost no cost.
public final class Numbered implements Requests {
  private final byte[] bytes;
  private final List<Place> places = new ArrayList<>();
  private final LongSupplier numbers;
  private final Seats seats;

  /// @param text with `Digits` where numbers belong
  /// @param numbers one per request; what is equal in them is equal in the requests
  /// @param seats where a number's seat is
  public Numbered(String text, LongSupplier numbers, Seats seats) {
    this.bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    this.numbers = numbers;
    this.seats = seats;
    for (int i = 0; i < bytes.length; i++) {
      if (Digits.isDigit(bytes[i])) {
        var place = new Place(bytes[i], i, endOf(i));
        places.add(place);
        i = place.end() - 1;
      }
    }
  }

  @Override
  public void next(ByteBuffer out) {
    var number = numbers.getAsLong();
    for (var place : places) {
      write(value(place.meaning(), number), place);
    }
    out.put(bytes);
  }

  private long value(byte meaning, long number) {
    return switch (meaning) {
      case Digits.POOL -> seats.pool(number);
      case Digits.ITEM -> seats.item(number);
      default -> number;
    };
  }

  private void write(long value, Place place) {
    var rest = value;
    for (int i = place.end() - 1; i >= place.start(); i--) {
      bytes[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    if (rest != 0) {
      throw new IllegalStateException(value + " has more digits than its place");
    }
  }

  private int endOf(int start) {
    var end = start;
    while (end < bytes.length && bytes[end] == bytes[start]) {
      end++;
    }
    return end;
  }

  private record Place(byte meaning, int start, int end) {}
}
