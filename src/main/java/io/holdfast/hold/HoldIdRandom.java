package io.holdfast.hold;

import jakarta.inject.Singleton;
import java.security.SecureRandom;

/// The part of a hold's id that cannot be guessed: 80 bits from the system's own source, fetched in
/// large pieces because each fetch is a call into the kernel.
@Singleton
final class HoldIdRandom {
  private static final String DIGITS = "0123456789abcdefghijklmnopqrstuv";
  private static final int LENGTH = 16;
  private static final int STOCK = 1_024 * LENGTH;

  private final SecureRandom source = new SecureRandom();
  private final byte[] stock = new byte[STOCK];
  private int used = STOCK;

  synchronized String next() {
    if (used == STOCK) {
      source.nextBytes(stock);
      used = 0;
    }
    var salt = new char[LENGTH];
    for (var i = 0; i < LENGTH; i++) {
      salt[i] = DIGITS.charAt(stock[used] & 31); // five bits of each byte
      stock[used++] = 0;
    }
    return new String(salt);
  }
}
