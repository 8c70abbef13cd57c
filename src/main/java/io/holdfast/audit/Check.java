package io.holdfast.audit;

/// One statement about the records.
///
/// @param id of the requirement or promise
record Check(String id, String statement) {}
