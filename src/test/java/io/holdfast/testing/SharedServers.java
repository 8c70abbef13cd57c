package io.holdfast.testing;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;

/// The servers of one test run, started on first use and shared by all test classes.
final class SharedServers implements AutoCloseable {
  private final Map<String, String> environment;
  private final BooleanSupplier docker;
  private final Map<ServerChoice, ServerSource> sources = new EnumMap<>(ServerChoice.class);

  private @Nullable String redis;
  private @Nullable String postgres;
  private @Nullable TemplateDatabase template;

  SharedServers(Map<String, String> environment, BooleanSupplier docker) {
    this.environment = environment;
    this.docker = docker;
  }

  static SharedServers ofThisRun() {
    return new SharedServers(
        System.getenv(), () -> DockerClientFactory.instance().isDockerAvailable());
  }

  synchronized String redis() {
    if (redis == null) {
      redis = source("REDIS_URI").redis();
    }
    return redis;
  }

  synchronized String postgres() {
    if (postgres == null) {
      postgres = source("JDBC_URL").postgres();
    }
    return postgres;
  }

  /// A database with the newest schema. Copying it is much faster than running the migrations.
  synchronized TemplateDatabase template() {
    if (template == null) {
      template = TemplateDatabase.migrated(postgres());
    }
    return template;
  }

  /// The sources that were used so far.
  synchronized Map<ServerChoice, ServerSource> sources() {
    return Map.copyOf(sources);
  }

  @Override
  public synchronized void close() {
    if (template != null) {
      template.close();
    }
    sources.values().forEach(ServerSource::close);
  }

  private ServerSource source(String variable) {
    return sources.computeIfAbsent(
        ServerChoice.of(variable, environment, docker),
        choice ->
            switch (choice) {
              case GIVEN -> new GivenServers(environment);
              case CONTAINER -> new ContainerServers();
              case EMBEDDED -> new EmbeddedTestServers();
            });
  }
}
