package io.holdfast.app;

import java.util.Map;
import picocli.CommandLine.Command;

@Command(
    name = "serve",
    description = "Starts the service, and Redis and Postgres unless their addresses are set.",
    mixinStandardHelpOptions = true)
final class ServeCommand implements Runnable {

  @Override
  public void run() {
    try (var service = Service.start(Map.of())) {
      service.awaitEnd();
    }
  }
}
