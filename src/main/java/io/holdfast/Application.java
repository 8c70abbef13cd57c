package io.holdfast;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/// The command line. Without a command it serves.
@Command(
    name = "holdfast",
    description = "Holds, then sells, each seat to exactly one of millions who ask at once.",
    mixinStandardHelpOptions = true,
    versionProvider = Application.class,
    subcommands = {ServeCommand.class, MigrateCommand.class, AuditCommand.class})
public final class Application implements Runnable, IVersionProvider {
  private static final int FAILED = 1;

  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  /// Returns the exit code: 0 done, 1 failed with one sentence on standard error, 2 wrong usage. An
  /// audit that cannot look ends with 2, for 1 says that it has found something.
  static int run(String... arguments) {
    return new CommandLine(new Application())
        .setExecutionExceptionHandler((e, _, _) -> fail(e))
        .execute(arguments);
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
    System.err.println(failure.getMessage());
    if (!failure.isExplained()) {
      failure.printStackTrace();
    }
    return FAILED;
  }
}
