package io.holdfast.postgres;

import io.holdfast.config.Settings;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import javax.sql.DataSource;

/// Reads the settings when the context starts, and gives the connection pool to Micronaut Data as
/// its data source.
@Factory
final class PostgresFactory {

  @Context
  PostgresSettings postgresSettings(Settings settings) {
    return PostgresSettings.of(settings);
  }

  @Singleton
  @Named("default")
  DataSource dataSource(ConnectionPool link) {
    return link.dataSource();
  }
}
