package io.holdfast.bench;

import io.holdfast.bench.BareController.Hold;
import io.holdfast.bench.BareController.Wish;
import io.holdfast.redis.RedisScripts;
import io.holdfast.redis.Script;
import io.micronaut.core.annotation.NonBlocking;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/// The textbook route: the same JSON as the bare endpoint, and for every request one script call of
/// four commands (`SET NX PX`, `INCR`, `SET PX`, `XADD`) over the connections of the service. It
/// checks no key, no digest and no limit, and nothing goes on to Postgres.
@Secured(SecurityRule.IS_ANONYMOUS)
@Controller("/bench/textbook")
final class TextbookController {
  private static final Script TEXTBOOK = Script.named("bench/textbook");

  private final RedisScripts scripts;
  private final AtomicLong number = new AtomicLong();

  TextbookController(RedisScripts scripts) {
    this.scripts = scripts;
  }

  @Post
  @NonBlocking
  CompletionStage<HttpResponse<Hold>> hold(@Body Wish wish) {
    var next = number.incrementAndGet();
    var keys =
        new String[] {
          "{bench}:tok:" + next, "{bench}:item:" + next, "{bench}:fence", "{bench}:journal"
        };
    return scripts.call(TEXTBOOK, keys, wish.requester()).thenApply(reply -> answer(wish, reply));
  }

  private static HttpResponse<Hold> answer(Wish wish, List<String> reply) {
    return reply.getFirst().equals("HELD")
        ? HttpResponse.created(BareController.hold(wish, Long.parseLong(reply.get(1))))
        : HttpResponse.badRequest();
  }
}
