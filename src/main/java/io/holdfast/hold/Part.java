package io.holdfast.hold;

/// A part of a row of seats.
///
/// @param from seats before it are left out
/// @param until the first seat behind it
record Part(int row, int from, int until) {}
