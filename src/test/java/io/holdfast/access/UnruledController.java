package io.holdfast.access;

import io.micronaut.context.annotation.Requires;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;

/// A route without a rule, present only for the test that requests it.
@Controller("/test/unruled")
@Requires(property = "test.unruled")
class UnruledController {

  @Get
  String unruled() {
    return "forgotten";
  }
}
