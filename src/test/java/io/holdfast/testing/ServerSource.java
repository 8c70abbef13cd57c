package io.holdfast.testing;

/// One way to come by servers. Each is asked at most once for each server in a run.
interface ServerSource extends AutoCloseable {

  /// The address of a Redis with logical databases.
  String redis();

  /// The address, credentials included, of a Postgres in which we may create databases.
  String postgres();

  @Override
  void close();
}
