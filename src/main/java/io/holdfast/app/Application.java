package io.holdfast.app;

import io.holdfast.runtime.StartFailure;
import java.util.Arrays;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/// The command line. Without a command it runs `serve`.
@Command(
    name = "holdfast",
    description = "Holds seats for a limited time, then sells each to exactly one buyer.",
    mixinStandardHelpOptions = true,
    versionProvider = Application.class,
    subcommands = {ServeCommand.class, MigrateCommand.class, AuditCommand.class})
public final class Application implements Runnable, IVersionProvider {
  private static final int DONE = 0;
  private static final int FAILED = 1;

  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  /// Returns the exit code: 0 done, 1 failed with one sentence on standard error, 2 wrong usage. An
  /// audit that cannot run ends with 2, because 1 means violations.
  static int run(String... arguments) {
    if (arguments.length == 0 || Arrays.equals(arguments, new String[] {"serve"})) {
      return serve();
    }
    return new CommandLine(new Application())
        .setExecutionExceptionHandler((e, _, _) -> fail(e))
        .execute(arguments);
  }

  /// Serving needs no command line parser. Its classes are too old for the AOT cache, and loading
  /// them takes a tenth of a start.
  private static int serve() {
    try {
      new ServeCommand().run();
      return DONE;
    } catch (StartFailure failure) {
      return printed(failure);
    }
  }

  @Override
  public void run() {
    new ServeCommand().run();
  }

  @Override
  public String[] getVersion() {
    return new String[] {"holdfast " + Version.CURRENT};
  }

  private static int fail(Exception e) throws Exception {
    if (!(e instanceof StartFailure failure)) {
      throw e;
    }
    return printed(failure);
  }

  private static int printed(StartFailure failure) {
    System.err.println(failure.getMessage());
    if (!failure.isExplained()) {
      failure.printStackTrace();
    }
    return FAILED;
  }
}
