package io.holdfast.web;

import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import io.micronaut.serde.annotation.Serdeable;

/// Routes for tests only: one echoes its request, and one has a bug.
@Controller("/test/echo")
@ExecuteOn(TaskExecutors.BLOCKING)
@Secured(SecurityRule.IS_ANONYMOUS)
class EchoController {
  static final String SECRET = "a secret that no answer may tell";

  @Post
  Message echo(@Body Message message) {
    return message;
  }

  @Post("/large")
  @LargeBody
  int large(@Body byte[] body) {
    return body.length;
  }

  @Get("/bug")
  Message bug() {
    throw new IllegalStateException(SECRET);
  }

  @Get("/number/{number}")
  Message number(int number) {
    return new Message("number " + number);
  }

  @Serdeable
  record Message(String text) {}
}
