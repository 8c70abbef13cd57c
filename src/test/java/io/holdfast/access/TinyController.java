package io.holdfast.access;

import io.micronaut.core.annotation.NonBlocking;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;

/// Routes for tests only, one for each kind of rule.
@Controller("/test/tiny")
class TinyController {

  @Post("/hold")
  @Secured("hold")
  @NonBlocking
  String hold(Caller caller) {
    return caller.name() + " on " + Thread.currentThread().getName();
  }

  @Get("/either")
  @Secured({"commit", "audit"})
  String either(Caller caller) {
    return caller.name();
  }

  @Get("/anybody")
  @Secured(SecurityRule.IS_AUTHENTICATED)
  String anybody(Caller caller) {
    return caller.name();
  }

  @Get("/nobody")
  @Secured(SecurityRule.DENY_ALL)
  String nobody() {
    return "never";
  }
}
