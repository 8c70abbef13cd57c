package io.holdfast.access;

import io.micronaut.context.annotation.Requires;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;

/// A route whose author forgot to say who may use it; there only for the test that asks for it.
@Controller("/test/unruled")
@Requires(property = "test.unruled")
class UnruledController {

  @Get
  String unruled() {
    return "forgotten";
  }
}
