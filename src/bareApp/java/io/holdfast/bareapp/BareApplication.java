package io.holdfast.bareapp;

import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.runtime.Micronaut;
import java.util.List;
import java.util.Map;

/// A Micronaut application with one route and nothing behind it: what the start of ours is measured
/// against. With an argument it ends as soon as it has started.
public final class BareApplication {
  private BareApplication() {}

  public static void main(String[] arguments) {
    var context = Micronaut.build(arguments).mainClass(BareApplication.class).start();
    if (arguments.length > 0) {
      context.close();
      System.exit(0);
    }
  }

  @Controller("/v1/pools")
  static final class Pools {
    @Get
    Map<String, Object> list() {
      return Map.of("pools", List.of());
    }
  }
}
