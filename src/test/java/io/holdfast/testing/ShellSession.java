package io.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// One `sh` that runs blocks of commands as a reader pastes them: variables and functions of a
/// block are there in the next one. A command that fails ends the session and fails the test.
public final class ShellSession implements AutoCloseable {
  private static final String END_OF_BLOCK = "--- end of block ---";

  private final Process shell;
  private final BufferedWriter input;
  private final BufferedReader output;

  private ShellSession(Process shell) {
    this.shell = shell;
    this.input = shell.outputWriter();
    this.output = shell.inputReader();
  }

  public static ShellSession in(Path folder, Map<String, String> environment) throws IOException {
    var builder = new ProcessBuilder("sh", "-e").directory(folder.toFile());
    builder.environment().keySet().removeAll(List.of("REDIS_URI", "JDBC_URL", "HOLDFAST_DATA"));
    builder.environment().putAll(environment);
    return new ShellSession(builder.redirectErrorStream(true).start());
  }

  /// Returns what the block prints. Its commands get no standard input: it holds the next block.
  public String run(String block) throws IOException {
    // The line before may lack its end.
    input.write("{\n%s\n} </dev/null\necho; echo '%s'\n".formatted(block.strip(), END_OF_BLOCK));
    input.flush();
    var printed = new StringBuilder();
    String line;
    while ((line = output.readLine()) != null && !line.equals(END_OF_BLOCK)) {
      printed.append(line).append('\n');
    }
    assertThat(line).as("%s%n%s", block, printed).isNotNull();
    return printed.toString();
  }

  @Override
  public void close() {
    shell.destroy();
  }
}
