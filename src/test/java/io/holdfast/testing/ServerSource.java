package io.holdfast.testing;

/// Provides servers. Each server is requested at most once in a run.
interface ServerSource extends AutoCloseable {

  /// The address of a Redis with logical databases.
  String redis();

  /// The address, credentials included, of a Postgres in which tests may create databases.
  String postgres();

  @Override
  void close();
}
