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

/// A repository of Micronaut Data on the connection pool. Its methods run in the transaction of the
/// caller, if there is one, and fail with `PostgresUnavailable`. Methods that write need one.
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@JdbcRepository(dialect = Dialect.POSTGRES)
@Around
@Type(RepositoryInterceptor.class)
public @interface PostgresRepository {}
