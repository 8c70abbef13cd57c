package io.holdfast.app;

import io.holdfast.postgres.Migrations;
import java.util.Map;
import picocli.CommandLine.Command;

@Command(
    name = "migrate",
    description = "Migrates the database schema to this version and exits.",
    mixinStandardHelpOptions = true)
final class MigrateCommand implements Runnable {

  @Override
  public void run() {
    var resources = new ResourceStack();
    var hook = new Thread(resources::close, "stop");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      var bootstrap = Bootstrap.start(resources, Map.of(), _ -> {});
      bootstrap.servers().launch();
      bootstrap.servers().awaitReady();
      bootstrap.context().getBean(Migrations.class).migrate();
    } catch (RuntimeException e) {
      throw StartupErrors.inOneSentence(e);
    } finally {
      resources.close();
    }
  }
}
