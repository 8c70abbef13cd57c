package io.holdfast.bench;

import io.holdfast.bench.BareController.Hold;
import io.holdfast.bench.BareController.Wish;
import io.holdfast.intent.Script;
import io.holdfast.intent.Scripts;
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

/// The most that a hold could reach on this machine: the same JSON as the bare endpoint, and one
/// call to Redis of five commands, by the service's own lanes. No key is asked for, no digest
/// taken, no limit kept, no end provided for, and nothing goes on to Postgres.
@Secured(SecurityRule.IS_ANONYMOUS)
@Controller("/bench/least")
final class LeastController {
  private static final Script LEAST = Script.named("bench/least");

  private final Scripts scripts;
  private final AtomicLong number = new AtomicLong();

  LeastController(Scripts scripts) {
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
    return scripts.call(LEAST, keys, wish.requester()).thenApply(reply -> answer(wish, reply));
  }

  private static HttpResponse<Hold> answer(Wish wish, List<Object> reply) {
    return reply.getFirst().equals("HELD")
        ? HttpResponse.created(BareController.hold(wish, (Long) reply.get(1)))
        : HttpResponse.badRequest();
  }
}
