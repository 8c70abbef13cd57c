package io.holdfast.audit;

/// One statement about the records, and the query that tries to refute it.
///
/// @param id of the requirement or promise
/// @param sql answers one row: how much was examined, and how much of it contradicts the statement
record Check(String id, String statement, String sql) {}
