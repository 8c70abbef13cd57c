package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.redis.Script;
import io.holdfast.testing.Api;
import io.holdfast.testing.Folders;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.RedisTokens;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The complete list of what a placement can come to: the words of the scripts that decide, and the
/// code that each of them has in an answer. 000 has three reasons. `hold-limit`, `not-admitted` and
/// `sales-closed` are those of a pool whose policy or times of sale ask for them, and
/// `storage-failure` means that nothing was decided.
@ExtendWith(RealServers.class)
class PlacementReasonsTest {
  private static final String HELD = "holdId";

  private static final Map<String, String> REASONS =
      new TreeMap<>(
          Map.of(
              "HELD", HELD,
              "SAME", HELD,
              "TAKEN", "resource-unavailable",
              "NO_SUCH_ITEM", "invalid-request",
              "COLLISION", "token-collision",
              "LIMIT", "hold-limit",
              "ITEM_LIMIT", "hold-limit",
              "NOT_ADMITTED", "not-admitted",
              "SALES_CLOSED", "sales-closed",
              "DRIFT", "storage-failure"));

  /// Another call follows, the first outcome is given again, or the pool is loaded first.
  private static final Set<String> NO_OUTCOMES = Set.of("NEXT", "CHANGED", "REPLAY", "UNSEEDED");

  /// Words in the code that are no outcomes of a placement: states, ends and arguments.
  private static final Set<String> NO_WORDS =
      Set.of(
          "OPEN", "MOVED", "LOST", // of a pool
          "EXPIRED", "WINDOW", "LEASE", // of a lapsed hold in the way
          "CREATE", "GOOD", "LAST"); // of a call

  private static TestServers servers;
  private static Api api;

  @BeforeAll
  static void open(TestServers given, Service service) {
    servers = given;
    api = Api.of(service);
  }

  @Test
  @Requirement("IR-AW-03")
  void the_scripts_that_place_holds_return_no_other_words() throws IOException {
    var promised = new TreeSet<String>();
    var written = new TreeSet<String>();
    for (var verb : Set.of("place", "take", "best")) {
      promised.addAll(returned(verb));
      written.addAll(literals(Script.named("hold/" + verb).text()));
    }
    promised.removeAll(NO_OUTCOMES);
    written.removeAll(NO_OUTCOMES);
    written.removeAll(NO_WORDS);

    assertThat(promised).containsExactlyElementsOf(REASONS.keySet());
    assertThat(written).as("in the code, that of includes too").isEqualTo(promised);
  }

  @Test
  @Requirement("IR-AW-03")
  void each_of_them_is_answered_with_an_id_or_with_its_one_reason() {
    var pool = api.pool(3, "{\"maxHoldsPerRequester\":1}");
    var few = api.pool(2, "{\"maxItemsPerRequester\":1}");
    var closed = api.pool(1);
    var room = api.pool(1, "{\"waitingRoom\":true}");
    var first = Api.token();
    var drifted = Api.token();
    var answers = new TreeMap<String, HttpResponse<String>>();

    answers.put("HELD", api.place(pool, first, "ann", "A-1"));
    new RedisTokens(servers, pool).keep(drifted, "place_hold\t0:elsewhere\tTAKEN\tA-1");
    answers.put("SAME", api.place(pool, Api.token(), "ann", "A-1"));
    answers.put("TAKEN", api.place(pool, Api.token(), "ben", "A-1"));
    answers.put("NO_SUCH_ITEM", api.place(pool, Api.token(), "ben", "Z-1"));
    answers.put("COLLISION", api.place(pool, first, "ben", "A-2"));
    answers.put("LIMIT", api.place(pool, Api.token(), "ann", "A-3"));
    answers.put("ITEM_LIMIT", api.place(few, Api.token(), "ann", "A-1", "A-2"));
    api.patch("/v1/pools/" + closed, Api.token(), "{\"closed\":true}");
    answers.put("SALES_CLOSED", api.place(closed, Api.token(), "ann", "A-1"));
    answers.put("NOT_ADMITTED", api.place(room, Api.token(), "ann", "A-1"));
    answers.put("DRIFT", api.place(pool, drifted, "ann", "A-1"));

    var reasons = new TreeMap<String, String>();
    answers.forEach((word, answer) -> reasons.put(word, reason(answer)));
    assertThat(reasons).isEqualTo(REASONS);
  }

  /// An answer has either the id of a hold or a code, never both.
  private static String reason(HttpResponse<String> answer) {
    var body = Http.json(answer);
    assertThat(body.has(HELD)).as(answer.body()).isNotEqualTo(body.has("code"));
    assertThat(answer.statusCode() < 300).as(answer.body()).isEqualTo(body.has(HELD));
    return body.has(HELD) ? HELD : body.get("code").asText();
  }

  /// The words in the header of a script, between Returns and Writes.
  private static Set<String> returned(String verb) throws IOException {
    var script = Folders.project().resolve("redis-scripts/hold/" + verb + ".lua");
    var text = Files.readString(script);
    var returns = text.substring(text.indexOf("-- Returns"), text.indexOf("-- Writes"));
    return Pattern.compile("\\b[A-Z][A-Z_]{3,}\\b")
        .matcher(returns)
        .results()
        .map(word -> word.group())
        .collect(Collectors.toSet());
  }

  /// The words that begin a text in the code of a script, without the commands to Redis.
  private static Set<String> literals(String script) {
    var code = script.replaceAll("--[^\n]*", "").replaceAll("call\\('[A-Z]+'", "");
    return Pattern.compile("'([A-Z][A-Z_]{3,})(?=['\\\\])")
        .matcher(code)
        .results()
        .map(word -> word.group(1))
        .collect(Collectors.toSet());
  }
}
