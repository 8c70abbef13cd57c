package io.holdfast.postgres;

import io.micronaut.aop.Around;
import io.micronaut.context.annotation.Type;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// A repository of Micronaut Data on the connection pool. It takes part in the transaction that its
/// caller runs in. What goes wrong with Postgres becomes `PostgresUnavailable`.
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@JdbcRepository(dialect = Dialect.POSTGRES)
@Around
@Type(RepositoryFailures.class)
public @interface PostgresRepository {}
