package io.holdfast.hold;

import jakarta.inject.Singleton;
import java.security.SecureRandom;

/// Generates the salt of a hold's id: 80 random bits. Random bytes are fetched in large blocks,
/// because each fetch is a system call.
@Singleton
final class HoldIdRandom {
  private static final String DIGITS = "0123456789abcdefghijklmnopqrstuv";
  private static final int LENGTH = 16;
  private static final int BLOCK = 1_024 * LENGTH;

  private final SecureRandom source = new SecureRandom();
  private final byte[] block = new byte[BLOCK];
  private int used = BLOCK;

  synchronized String next() {
    if (used == BLOCK) {
      source.nextBytes(block);
      used = 0;
    }
    var salt = new char[LENGTH];
    for (var i = 0; i < LENGTH; i++) {
      salt[i] = DIGITS.charAt(block[used] & 31); // five bits of each byte
      block[used++] = 0;
    }
    return new String(salt);
  }
}
