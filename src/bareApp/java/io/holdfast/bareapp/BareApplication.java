package io.holdfast.bareapp;

import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.runtime.Micronaut;
import java.util.List;
import java.util.Map;

/// A Micronaut application with one route and nothing behind it: what the start of ours is measured
/// against.
public final class BareApplication {
  private BareApplication() {}

  public static void main(String[] arguments) {
    Micronaut.build(arguments).mainClass(BareApplication.class).start();
  }

  @Controller("/v1/pools")
  static final class Pools {
    @Get
    Map<String, Object> list() {
      return Map.of("pools", List.of());
    }
  }
}
