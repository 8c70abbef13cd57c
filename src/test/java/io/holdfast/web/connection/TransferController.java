package io.holdfast.web.connection;

import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/// Routes for tests only: a response that comes when the test says so, and a large one.
@Controller("/test/transfer")
@Secured(SecurityRule.IS_ANONYMOUS)
class TransferController {
  static final int LARGE = 24 << 20;

  final AtomicInteger waiting = new AtomicInteger();
  volatile CompletableFuture<String> later = new CompletableFuture<>();

  @Get("/later")
  @Produces(MediaType.TEXT_PLAIN)
  CompletionStage<String> later() {
    waiting.incrementAndGet();
    return later;
  }

  @Get("/large")
  @Produces(MediaType.APPLICATION_OCTET_STREAM)
  byte[] large() {
    return new byte[LARGE];
  }
}
