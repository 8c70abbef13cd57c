package io.holdfast.redis;

import static io.holdfast.redis.CommonExamples.together;
import static io.holdfast.redis.ScriptExample.example;

import java.util.List;

final class HoldRefuseExamples implements ScriptExamples {
  private static final String OUTCOME = "INVALID\titems: at most 8";

  @Override
  public String script() {
    return "hold/refuse";
  }

  @Override
  public List<ScriptExample> examples() {
    return together(
        List.of(
            refuse("a refusal")
                .after(Arena.open().commands())
                .answers("REFUSED", OUTCOME)
                .andThen("REPLAY")
                .leaving(Arena.token("tok-1"), Arena.entry("place_hold", OUTCOME))
                .leaving(Arena.ENTRIES, Arena.entryOf(Arena.line("place_hold", OUTCOME))),
            refuse("two tokens, and the first one again, for this and for another action")
                .andCalls(call("tok-2", "place_hold"))
                .andCalls(call("tok-1", "place_hold"))
                .andCalls(call("tok-1", "release"))
                .after(Arena.open().commands())
                .answers("REFUSED", OUTCOME)
                .andAnswers("REFUSED", OUTCOME)
                .andAnswers("REPLAY", OUTCOME)
                .andAnswers("COLLISION")
                .andThen("REPLAY", "REPLAY", "REPLAY", "COLLISION")
                .leaving(
                    Arena.ENTRIES,
                    Arena.entryOf(
                        Arena.line("place_hold", OUTCOME),
                        Arena.line("place_hold", "tok-2", OUTCOME)))),
        CommonExamples.ofToken("place_hold", HoldRefuseExamples::refuse),
        CommonExamples.ofUnseeded(HoldRefuseExamples::refuse));
  }

  private static ScriptExample refuse(String title) {
    return example(title).arguments(Arena.OURS).andCalls(call("tok-1", "place_hold"));
  }

  private static String[] call(String token, String action) {
    return new String[] {"shop", token, CommonExamples.DIGEST, action, OUTCOME};
  }
}
