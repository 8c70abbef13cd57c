package io.holdfast.access;

import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.security.annotation.Secured;

@Controller("/test/tiny")
class TinyController {
  private static final byte[] ANSWER = "{\"done\":true}".getBytes();

  @Post
  @Secured("hold")
  byte[] tiny(@Body byte[] body) {
    return ANSWER;
  }
}
