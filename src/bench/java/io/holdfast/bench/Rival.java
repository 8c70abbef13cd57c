package io.holdfast.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/// Plain clients of Postgres that write the rows of one sale after the other, without Redis and
/// without retries.
interface Rival {
  int CLIENTS = 32;

  /// What connections become, as those of the service do.
  String ROLE = "holdfast_service";

  /// Its name in the report.
  String name();

  /// @param sale with `:seat` wherever a number belongs that is another one each time
  /// @param first the lowest number; the sales take it and those behind it
  Turn run(RivalSale sale, long first, int salesAClient);

  static Rival of(Database database) {
    var onPath =
        Pattern.compile(":")
            .splitAsStream(System.getenv().getOrDefault("PATH", ""))
            .map(folder -> Path.of(folder, "pgbench"))
            .filter(Files::isExecutable)
            .findFirst();
    return onPath
        .<Rival>map(program -> new PgbenchRival(program, database))
        .orElseGet(() -> new JdbcRival(database));
  }
}
