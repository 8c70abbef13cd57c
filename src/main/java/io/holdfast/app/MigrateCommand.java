package io.holdfast.app;

import io.holdfast.postgres.Migrations;
import java.util.Map;
import picocli.CommandLine.Command;

@Command(
    name = "migrate",
    description = "Brings the database's schema to this version, and ends.",
    mixinStandardHelpOptions = true)
final class MigrateCommand implements Runnable {

  @Override
  public void run() {
    var closer = new ResourceStack();
    var hook = new Thread(closer::close, "stop");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      var ground = Bootstrap.lay(closer, Map.of(), _ -> {});
      ground.servers().awaitReady();
      ground.context().getBean(Migrations.class).migrate();
    } catch (RuntimeException e) {
      throw StartupErrors.inOneSentence(e);
    } finally {
      closer.close();
    }
  }
}
