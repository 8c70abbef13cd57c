package io.holdfast.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Requirement;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// Digests are compared by processes that have nothing in common but the code.
class DigestAcrossProcessesTest {
  private static final List<List<String>> SETTINGS =
      List.of(
          List.of("-Duser.language=tr", "-Duser.country=TR", "-Duser.timezone=Pacific/Kiritimati"),
          List.of("-Duser.language=ar", "-Duser.extensions=u-nu-arab", "-Duser.timezone=UTC"),
          List.of("-Dfile.encoding=UTF-16", "-Dstdout.encoding=UTF-8", "-XX:+UseSerialGC"));

  /// Prints the digest of a request whose members have another order in every process.
  ///
  /// @param arguments how many members come last that would be first
  public static void main(String[] arguments) {
    var body = turned(body(), Integer.parseInt(arguments[0]));
    System.out.println(digest(body));
    System.out.println(body.keySet());
  }

  @Test
  @Requirement("IR-ST-04")
  void equal_requests_have_equal_digests_in_all_processes_locales_and_time_zones()
      throws Exception {
    var digests = new TreeSet<String>();
    var orders = new TreeSet<String>();
    for (var process = 0; process < SETTINGS.size(); process++) {
      var printed = run(SETTINGS.get(process), process);
      assertThat(printed).hasSize(2);
      digests.add(printed.getFirst());
      orders.add(printed.getLast());
    }

    assertThat(digests).isEqualTo(Set.of(digest(body())));
    assertThat(orders).as("the processes had reason to differ").hasSameSizeAs(SETTINGS);
  }

  private static String digest(Map<String, Object> body) {
    return Digest.of("place_hold", List.of("arena", "İstanbul"), body).value();
  }

  private static Map<String, Object> turned(Map<String, Object> body, int count) {
    var names = new ArrayList<>(new TreeSet<>(body.keySet()));
    Collections.rotate(names, -count);
    var turned = new LinkedHashMap<String, Object>();
    names.forEach(name -> turned.put(name, body.get(name)));
    return turned;
  }

  private static Map<String, Object> body() {
    return Map.of(
        "TITLE",
        "I i ı İ ß",
        "price",
        new BigDecimal("1234567.50"),
        "items",
        List.of("A-1", "B-2"),
        "n",
        -7,
        "when",
        Map.of("from", "08:00", "until", "23:59", "day", "2026-11-19"),
        "requester",
        "Ünal 🎟",
        "isVip",
        true);
  }

  private static List<String> run(List<String> settings, int turn) throws IOException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(settings);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(DigestAcrossProcessesTest.class.getName());
    command.add(Integer.toString(turn));
    var process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (var output = process.inputReader(StandardCharsets.UTF_8)) {
      return output.lines().toList();
    }
  }
}
