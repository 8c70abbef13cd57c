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
                .leaving(
                    "GET " + Arena.token("tok-1"),
                    "place_hold\t%s\t%s".formatted(CommonExamples.DIGEST, OUTCOME))
                .leaving(
                    "XRANGE %s - +".formatted(Arena.JOURNAL),
                    "<id>, line, 7\t<moment>\tplace_hold\tshop\ttok-1\t%s\t60000\t%s"
                        .formatted(CommonExamples.DIGEST, OUTCOME))),
        CommonExamples.ofToken("place_hold", HoldRefuseExamples::refuse),
        CommonExamples.ofUnseeded(HoldRefuseExamples::refuse));
  }

  private static ScriptExample refuse(String title) {
    return example(title)
        .keys(Arena.META, Arena.token("tok-1"), Arena.JOURNAL)
        .arguments(
            Arena.OURS,
            "shop",
            "tok-1",
            CommonExamples.DIGEST,
            CommonExamples.TOKEN_WINDOW_MS,
            "place_hold",
            OUTCOME);
  }
}
