package io.holdfast.redis;

import static io.holdfast.redis.AHold.aHold;
import static io.holdfast.redis.AHold.aHoldOf;
import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

final class HoldReadExamples implements ScriptExamples {
  private static final AHold LIVE = aHold(3, "A-1", "A-2");
  private static final AHold ENDED = aHold(5, "A-1").ended("EXPIRED", "LEASE");

  @Override
  public String script() {
    return "hold/read";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        List.of(
            read("a live hold, an unknown one and an ended one")
                .after(Arena.open().with(LIVE, ENDED).commands())
                .answers("HOLDS", among(LIVE.text(), "", ENDED.text()))
                .answeringAnew(),
            read("a hold of units")
                .after(Arena.stock("4 2/10").with(aHoldOf(3, 3).noting("{\"a\":1}")).commands())
                .answers("HOLDS", among(aHoldOf(3, 3).noting("{\"a\":1}").text(), "", ""))
                .answeringAnew(),
            read("the holds of two calls, some of them the same")
                .andCalls(fences(5, 3))
                .andCalls("")
                .after(Arena.open().with(LIVE, ENDED).commands())
                .answers("HOLDS", among(LIVE.text(), "", ENDED.text()))
                .andAnswers("HOLDS", among(ENDED.text(), LIVE.text()))
                .andAnswers("HOLDS", among())
                .answeringAnew()),
        CommonExamples.ofUnseeded(HoldReadExamples::read));
  }

  private static ScriptExample read(String title) {
    return example(title).arguments(Arena.OURS).andCalls(fences(3, 4, 5));
  }

  private static String fences(int... numbers) {
    return IntStream.of(numbers)
        .mapToObj(number -> String.valueOf(Arena.fence(number)))
        .collect(Collectors.joining("\n"));
  }

  private static String among(String... records) {
    return Stream.concat(Stream.of("<moment>"), Stream.of(records))
        .collect(Collectors.joining("\u001e"));
  }
}
