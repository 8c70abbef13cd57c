package io.holdfast.pool;

import java.util.regex.Pattern;

/// An amount of money in the smallest unit of its currency.
public record Price(long cents, String currency) {
  private static final Pattern CURRENCY = Pattern.compile("[A-Z]{3}");

  public Price {
    if (cents < 0) {
      throw new IllegalArgumentException("an amount must not be negative, was " + cents);
    }
    if (!CURRENCY.matcher(currency).matches()) {
      throw new IllegalArgumentException("currency must be three capital letters");
    }
  }

  public Price none() {
    return new Price(0, currency);
  }

  @Override
  public String toString() {
    return cents + " " + currency;
  }
}
