package io.holdfast.app;

import io.holdfast.runtime.StartFailure;
import java.util.Arrays;
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
  private static final int DONE = 0;
  private static final int FAILED = 1;

  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  /// Returns the exit code: 0 done, 1 failed with one sentence on standard error, 2 wrong usage. An
  /// audit that cannot look ends with 2, for 1 says that it has found something.
  static int run(String... arguments) {
    if (arguments.length == 0 || Arrays.equals(arguments, new String[] {"serve"})) {
      return serve();
    }
    return new CommandLine(new Application())
        .setExecutionExceptionHandler((e, _, _) -> fail(e))
        .execute(arguments);
  }

  /// What is most often asked for needs no parser: its classes are so old that no AOT cache takes
  /// them, and reading them makes up a tenth of a start.
  private static int serve() {
    try {
      new ServeCommand().run();
      return DONE;
    } catch (StartFailure failure) {
      return say(failure);
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
    return say(failure);
  }

  private static int say(StartFailure failure) {
    System.err.println(failure.getMessage());
    if (!failure.isExplained()) {
      failure.printStackTrace();
    }
    return FAILED;
  }
}
