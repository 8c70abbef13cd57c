package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.ScriptExample.Again;
import io.holdfast.testing.Folders;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks every file of `redis-scripts/` against its header: its text, and its effect on a real
/// Redis. A new script needs no change here, only a header and a class of `ScriptExamples`.
@ExtendWith(RealServers.class)
class LuaContractTest {
  private static final List<ScriptExamples> ALL_EXAMPLES = ScriptExamples.all();

  @ParameterizedTest
  @MethodSource("scripts")
  void a_script_keeps_to_its_header(String name) {
    assertThat(ScriptContract.breaches(name, Script.named(name).text())).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("scripts")
  void a_script_has_an_example_of_every_word_that_it_can_answer(String name) {
    var reached = wordsOf(name, example -> Stream.of(example.reply(), example.second()));

    assertThat(reached)
        .as("words reached by the ScriptExamples of " + name)
        .isEqualTo(header(name).words());
  }

  @ParameterizedTest
  @MethodSource("scripts")
  void a_script_has_an_example_of_every_word_that_it_can_answer_again(String name) {
    var reached = wordsOf(name, example -> Stream.of(example.second()));

    assertThat(reached)
        .as("second answers in the ScriptExamples of " + name)
        .containsAll(header(name).replayWords());
  }

  @Test
  void every_script_has_examples_and_all_examples_belong_to_a_script() throws IOException {
    assertThat(ALL_EXAMPLES.stream().map(ScriptExamples::script).distinct())
        .containsExactlyInAnyOrderElementsOf(scripts().toList());
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("examples")
  void a_script_answers_as_promised_and_run_again_it_changes_nothing(
      String name, ScriptExample example, TestServers servers) {
    var trial = servers.redis(redis -> ScriptTrial.of(redis, name, example));

    assertThat(ScriptExample.isMet(example.reply(), trial.first()))
        .as("%s instead of %s", trial.first(), example.reply())
        .isTrue();
    assertThat(trial.left()).containsExactlyElementsOf(timeless(example.leaves().values()));
    assertThat(isMetAgain(example, trial.second()))
        .as("%s instead of %s", trial.second(), example.second())
        .isTrue();
    assertThat(isReplay(name, example, trial))
        .as("%s, which the Replay line does not promise", trial)
        .isTrue();
    assertThat(isUnchanged(example, trial)).as("%s, changed by the second call", trial).isTrue();
    assertThat(trial.after().values().keySet()).allMatch(key -> tag(key).equals(tag(example)));
  }

  static Stream<String> scripts() throws IOException {
    var folder = Folders.project().resolve("redis-scripts");
    try (var files = Files.walk(folder)) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> !file.startsWith(folder.resolve("shared"))) // parts of scripts
          .map(file -> folder.relativize(file).toString().replaceFirst("\\.lua$", ""))
          .sorted()
          .toList()
          .stream();
    }
  }

  static Stream<Arguments> examples() {
    return ALL_EXAMPLES.stream()
        .flatMap(all -> all.examples().stream().map(e -> Arguments.of(all.script(), e)));
  }

  private static boolean isMetAgain(ScriptExample example, List<String> second) {
    return example.again() == Again.DETAILS || example.again() == Again.NUMBER
        ? ScriptExample.word(second.getFirst())
            .equals(ScriptExample.word(example.second().getFirst()))
        : ScriptExample.isMet(example.second(), second);
  }

  /// The same answers once more, unless the Replay line names another word for one.
  private static boolean isReplay(String name, ScriptExample example, ScriptTrial trial) {
    return example.reply().equals(example.second())
        ? example.again() != Again.NOTHING || trial.first().equals(trial.second())
        : IntStream.range(0, header(name).isOfCalls() ? trial.second().size() : 1)
            .filter(i -> !trial.second().get(i).equals(trial.first().get(i)))
            .mapToObj(i -> ScriptExample.word(trial.second().get(i)))
            .allMatch(header(name).replayWords()::contains);
  }

  private static boolean isUnchanged(ScriptExample example, ScriptTrial trial) {
    return switch (example.again()) {
      case NOTHING, DETAILS -> trial.before().isUnchangedIn(trial.after());
      case TIME_LIMITS -> trial.before().isRenewedIn(trial.after());
      case NUMBER -> trial.before().values().keySet().equals(trial.after().values().keySet());
    };
  }

  private static List<String> timeless(Collection<String> texts) {
    return texts.stream().map(Snapshot::timeless).toList();
  }

  private static ScriptHeader header(String name) {
    return ScriptHeader.parse(Script.named(name).text());
  }

  /// Of a reply to one call the first text has the word, the others tell more.
  private static Set<String> wordsOf(
      String name, Function<ScriptExample, Stream<List<String>>> replies) {
    var texts = header(name).isOfCalls() ? Long.MAX_VALUE : 1;
    return ALL_EXAMPLES.stream()
        .filter(all -> all.script().equals(name))
        .flatMap(all -> all.examples().stream())
        .flatMap(replies)
        .flatMap(reply -> reply.stream().limit(texts))
        .map(ScriptExample::word)
        .collect(Collectors.toSet());
  }

  private static String tag(ScriptExample example) {
    return tag(example.keys().getFirst());
  }

  private static String tag(String key) {
    return key.replaceFirst("^(\\{[^}]+}):.*", "$1");
  }
}
