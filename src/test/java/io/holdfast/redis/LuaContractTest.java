package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.intent.Script;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Holds every file of `redis-scripts/` to its header: its text, and what it does on a real Redis.
/// A new script needs no change here, only a header and a class of `ScriptExamples`.
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
    var reached = wordsOf(name, example -> Stream.of(example.word(), example.secondWord()));

    assertThat(reached)
        .as("words reached by the ScriptExamples of " + name)
        .isEqualTo(header(name).words());
  }

  @ParameterizedTest
  @MethodSource("scripts")
  void a_script_has_an_example_of_every_word_that_it_can_answer_again(String name) {
    var reached = wordsOf(name, example -> Stream.of(example.secondWord()));

    assertThat(reached)
        .as("second answers in the ScriptExamples of " + name)
        .containsAll(header(name).replayWords());
  }

  @Test
  void every_class_of_examples_belongs_to_a_script_of_its_own() throws IOException {
    assertThat(ALL_EXAMPLES.stream().map(ScriptExamples::script))
        .containsExactlyInAnyOrderElementsOf(scripts().toList());
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("examples")
  void a_script_answers_as_promised_and_run_again_it_changes_nothing(
      String name, ScriptExample example, TestServers servers) {
    var trial = servers.redis(redis -> ScriptTrial.of(redis, name, example));

    assertThat(trial.first().getFirst()).isEqualTo(example.word());
    assertThat(detailsOf(trial.first(), example)).isEqualTo(timeless(example.details()));
    assertThat(trial.left()).containsExactlyElementsOf(timeless(example.leaves().values()));
    assertThat(trial.second().getFirst()).isEqualTo(example.secondWord());
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

  /// The same answer once more, unless the Replay line names another word for it.
  private static boolean isReplay(String name, ScriptExample example, ScriptTrial trial) {
    return example.word().equals(example.secondWord())
        ? example.again() != Again.NOTHING || trial.first().equals(trial.second())
        : header(name).replayWords().contains(example.secondWord());
  }

  private static boolean isUnchanged(ScriptExample example, ScriptTrial trial) {
    return switch (example.again()) {
      case NOTHING, DETAILS -> trial.before().isUnchangedIn(trial.after());
      case TIME_LIMITS -> trial.before().isRenewedIn(trial.after());
      case NUMBER -> trial.before().values().keySet().equals(trial.after().values().keySet());
    };
  }

  private static List<String> detailsOf(List<Object> answer, ScriptExample example) {
    return example.details().isEmpty()
        ? List.of()
        : timeless(answer.stream().skip(1).map(String::valueOf).toList());
  }

  private static List<String> timeless(Collection<String> texts) {
    return texts.stream().map(Snapshot::timeless).toList();
  }

  private static ScriptHeader header(String name) {
    return ScriptHeader.parse(Script.named(name).text());
  }

  private static Set<String> wordsOf(String name, Function<ScriptExample, Stream<String>> words) {
    return ALL_EXAMPLES.stream()
        .filter(all -> all.script().equals(name))
        .flatMap(all -> all.examples().stream())
        .flatMap(words)
        .collect(Collectors.toSet());
  }

  private static String tag(ScriptExample example) {
    return tag(example.keys().getFirst());
  }

  private static String tag(String key) {
    return key.replaceFirst("^(\\{[pg]:[^}]+}):.*", "$1");
  }
}
