package io.holdfast.seeding;

import io.holdfast.pool.Epoch;
import io.holdfast.pool.PoolName;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Gives each pool its next epoch. Each number is given once: every call gets a higher number than
/// all calls before it, also across instances.
@JdbcRepository(dialect = Dialect.POSTGRES)
interface EpochCounter extends GenericRepository<PoolRow, String> {

  /// Empty if there is no such pool.
  default Optional<Epoch> next(PoolName pool) {
    return Optional.ofNullable(raise(pool.value())).map(Epoch::new);
  }

  @Query(
      value = "UPDATE pool SET epoch = epoch + 1 WHERE pool = :pool RETURNING epoch",
      nativeQuery = true)
  @Nullable Long raise(String pool);
}
