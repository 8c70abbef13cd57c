package io.holdfast.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Api;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Creates pools whose seats cost 50 euros each.
public final class PricedPools {
  private PricedPools() {}

  public static String create(Api api, String... items) {
    var name = "pool-" + UUID.randomUUID();
    var objects =
        Stream.of(items)
            .map("{\"item\":\"%s\",\"priceCents\":5000}"::formatted)
            .collect(Collectors.joining(","));
    var body =
        "{\"pool\":\"%s\",\"kind\":\"SEATS\",\"items\":[%s],\"policy\":{\"maxHoldsPerRequester\":100,\"maxItemsPerHold\":100}}"
            .formatted(name, objects);
    var made = api.post("/v1/pools", Api.token(), body);
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    return name;
  }
}
