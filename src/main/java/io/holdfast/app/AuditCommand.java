package io.holdfast.app;

import io.holdfast.audit.AuditReports;
import io.holdfast.config.Settings;
import io.holdfast.postgres.PostgresUnavailable;
import io.micronaut.context.ApplicationContext;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/// Looks at the records beside whatever runs: in the Postgres that is given, else in that of the
/// service that has the data folder, else in that of a service that has stopped, which is started
/// for it. Redis is not asked.
@Command(
    name = "audit",
    description = {
      "Proves from the records that the promises were kept, or shows what broke them.",
      "Ends with 0 if nothing was found, 1 if something was, 2 if it could not look."
    },
    mixinStandardHelpOptions = true)
final class AuditCommand implements Callable<Integer> {
  private static final int CLEAN = 0;
  private static final int BROKEN = 1;
  private static final int BLIND = 2;

  @Override
  public Integer call() {
    var closer = new ResourceStack();
    var hook = new Thread(closer::close, "stop");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      var report = context(closer).getBean(AuditReports.class).createFromRecords();
      System.out.print(report.table());
      return report.ok() ? CLEAN : BROKEN;
    } catch (PostgresUnavailable e) {
      System.err.println("Postgres cannot be looked at (%s).".formatted(e.getMessage()));
      return BLIND;
    } catch (RuntimeException e) {
      System.err.println(StartupErrors.inOneSentence(e).getMessage());
      return BLIND;
    } finally {
      closer.close();
    }
  }

  private static ApplicationContext context(ResourceStack closer) {
    var settings = new HashMap<String, Object>();
    try (var environment = Bootstrap.context(Map.of())) {
      environment.getEnvironment().start();
      var given = new Settings(environment.getEnvironment());
      if (given.text(Bootstrap.POSTGRES).isEmpty()) {
        RunFile.postgresOf(ServiceSettings.of(given).data())
            .ifPresent(url -> settings.put(Bootstrap.POSTGRES, url));
        if (settings.isEmpty()) {
          var ground = Bootstrap.lay(closer, Map.of(), _ -> {});
          ground.servers().awaitReady();
          return ground.context();
        }
      }
    }
    return closer.opened("the application", Bootstrap.context(settings)).start();
  }
}
