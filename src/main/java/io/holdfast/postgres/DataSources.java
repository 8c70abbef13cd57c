package io.holdfast.postgres;

import io.micronaut.context.annotation.Factory;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import javax.sql.DataSource;

/// Hands the link to Micronaut Data, whose repositories and transactions run on it.
@Factory
final class DataSources {

  @Singleton
  @Named("default")
  DataSource dataSource(PostgresLink link) {
    return link.dataSource();
  }
}
