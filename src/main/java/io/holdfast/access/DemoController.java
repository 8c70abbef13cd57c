package io.holdfast.access;

import io.holdfast.web.Problem;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.Hidden;

/// Gives the demo page its public key. Answers 404 outside of demo mode.
@Controller("/demo.json")
@Secured(SecurityRule.IS_ANONYMOUS)
@Hidden
final class DemoController {
  private final AccessSettings settings;

  DemoController(AccessSettings settings) {
    this.settings = settings;
  }

  @Get
  HttpResponse<?> demo() {
    return settings.demo()
        ? HttpResponse.ok(new Demo(ApiKeyCache.DEMO_KEY))
            .header(HttpHeaders.CACHE_CONTROL, "no-store")
        : HttpResponse.<Problem>status(HttpStatus.NOT_FOUND)
            .body(Problem.refused(HttpStatus.NOT_FOUND, "not-known", "This is no demo."))
            .contentType(Problem.MEDIA_TYPE);
  }

  @Serdeable
  record Demo(String key) {}
}
