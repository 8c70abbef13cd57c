package io.holdfast.testing;

import java.util.ArrayList;
import java.util.List;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.postgresql.PostgreSQLContainer;

/// Servers in containers, of the versions that `docker-compose.yml` runs.
final class ContainerServers implements ServerSource {
  static final String REDIS = "redis:7.4";
  static final String POSTGRES = "postgres:18";
  private static final int REDIS_PORT = 6379;

  private final List<GenericContainer<?>> started = new ArrayList<>();

  @Override
  public String redis() {
    var redis = new GenericContainer<>(REDIS).withExposedPorts(REDIS_PORT);
    start(redis);
    return "redis://%s:%d".formatted(redis.getHost(), redis.getMappedPort(REDIS_PORT));
  }

  @Override
  public String postgres() {
    var postgres = new PostgreSQLContainer(POSTGRES);
    start(postgres);
    return "%s&user=%s&password=%s"
        .formatted(postgres.getJdbcUrl(), postgres.getUsername(), postgres.getPassword())
        .replaceFirst("^([^?&]*)&", "$1?");
  }

  @Override
  public void close() {
    started.forEach(GenericContainer::stop);
  }

  private void start(GenericContainer<?> container) {
    container.start();
    started.add(container);
  }
}
