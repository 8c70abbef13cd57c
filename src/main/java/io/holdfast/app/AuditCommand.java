package io.holdfast.app;

import io.holdfast.audit.AuditReports;
import io.holdfast.postgres.PostgresUnavailable;
import io.micronaut.context.ApplicationContext;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/// Audits the records in Postgres: the configured one, else that of the service that runs on the
/// data folder, else the embedded one of the data folder, which is started for it. Redis is not
/// read.
@Command(
    name = "audit",
    description = {
      "Checks in the records that all promises were kept and lists violations.",
      "Exit code: 0 no violation, 1 violations, 2 the audit could not run."
    },
    mixinStandardHelpOptions = true)
final class AuditCommand implements Callable<Integer> {
  private static final int CLEAN = 0;
  private static final int BROKEN = 1;
  private static final int NOT_RUN = 2;

  @Override
  public Integer call() {
    var resources = new ResourceStack();
    var hook = new Thread(resources::close, "stop");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      var report = context(resources).getBean(AuditReports.class).createFromRecords();
      System.out.print(report.table());
      return report.ok() ? CLEAN : BROKEN;
    } catch (PostgresUnavailable e) {
      System.err.println(
          "Postgres cannot be read (%s); the audit did not run.".formatted(e.getMessage()));
      return NOT_RUN;
    } catch (RuntimeException e) {
      System.err.println(StartupErrors.inOneSentence(e).getMessage());
      return NOT_RUN;
    } finally {
      resources.close();
    }
  }

  private static ApplicationContext context(ResourceStack resources) {
    var settings = new HashMap<String, Object>();
    try (var environment = Bootstrap.context(Map.of())) {
      var given = Bootstrap.settings(environment);
      if (given.text(Bootstrap.POSTGRES).isEmpty()) {
        RunFile.postgresOf(ServiceSettings.of(given).data())
            .ifPresent(url -> settings.put(Bootstrap.POSTGRES, url));
        if (settings.isEmpty()) {
          var bootstrap = Bootstrap.start(resources, Map.of(), _ -> {});
          bootstrap.servers().launch();
          bootstrap.servers().awaitReady();
          return bootstrap.context();
        }
      }
      if (given.text(Bootstrap.REDIS).isEmpty()) {
        settings.put(Bootstrap.REDIS, "redis://localhost"); // the audit does not connect to it
      }
    }
    return resources.opened("the application", Bootstrap.context(settings)).start();
  }
}
