package io.holdfast.bench;

import io.micronaut.core.annotation.NonBlocking;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import io.micronaut.serde.annotation.Serdeable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The cost of a hold without its work: the same JSON in and out, in the same process, on the event
/// loop.
@Secured(SecurityRule.IS_ANONYMOUS)
@Controller("/bench/bare")
final class BareController {
  private static final int HEARTBEAT_SECONDS = 120;
  private static final long FENCE = 4_294_967_297L;

  @Post
  @NonBlocking
  HttpResponse<Hold> answer(@Body Wish wish) {
    return HttpResponse.created(hold(wish, FENCE));
  }

  static Hold hold(Wish wish, long fence) {
    return new Hold(
        "b000~1z141z5~0123456789abcdef",
        "b000",
        wish.items(),
        null,
        wish.requester(),
        "HELD",
        fence,
        "2026-01-01T12:00:00.000Z",
        "2026-01-01T12:10:00.000Z",
        "2026-01-01T12:30:00.000Z",
        HEARTBEAT_SECONDS);
  }

  @Serdeable
  record Wish(String requester, List<String> items) {}

  @Serdeable
  record Hold(
      String holdId,
      String pool,
      List<String> items,
      @Nullable Integer quantity,
      String requester,
      String state,
      long fence,
      String placedAt,
      String leaseUntil,
      String expiresAt,
      int heartbeatSeconds) {}
}
