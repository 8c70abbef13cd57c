package io.holdfast.postgres;

import java.sql.Connection;

/// One transaction under way. Whoever is handed it writes through it and leaves its end to the
/// giver.
public record Transaction(Connection connection) {}
