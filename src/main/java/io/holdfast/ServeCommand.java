package io.holdfast;

import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "serve",
    description = "Starts the service, and Redis and Postgres if no address of them is given.",
    mixinStandardHelpOptions = true)
final class ServeCommand implements Runnable {

  @Option(
      names = "--until-ready",
      description = "End as soon as requests are accepted: a rehearsal of a start.")
  private boolean untilReady;

  @Override
  public void run() {
    try (var service = Service.start(Map.of())) {
      if (!untilReady) {
        service.awaitEnd();
      }
    }
  }
}
