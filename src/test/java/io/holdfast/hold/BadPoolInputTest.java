package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// An invalid pool is not created; the refusal names the field.
@ExtendWith(RealServers.class)
class BadPoolInputTest {
  private static final String ITEMS = "[{\"item\":\"A-1\"}]";

  private static Api api;

  @BeforeAll
  static void open(Service service) {
    api = Api.of(service);
  }

  static Stream<Arguments> nonsense() {
    return Stream.of(
        Arguments.of("pool", pool("\"a b\"", ITEMS, "{}")),
        Arguments.of("pool", pool("\"%s\"".formatted("x".repeat(65)), ITEMS, "{}")),
        Arguments.of("pool", pool("7", ITEMS, "{}")),
        Arguments.of("kind", pool("\"hall\"", ITEMS, "{}").replace("SEATS", "CHAIRS")),
        Arguments.of("policy.maxInside", pool("\"hall\"", ITEMS, "{\"maxInside\":5}")),
        Arguments.of(
            "policy.opensAt",
            pool("\"hall\"", ITEMS, "{\"waitingRoom\":true,\"order\":\"RAFFLE\"}")),
        Arguments.of(
            "policy.opensAt",
            pool("\"hall\"", ITEMS, "{\"waitingRoom\":true,\"opensAt\":\"tomorrow\"}")),
        Arguments.of(
            "policy.order", pool("\"hall\"", ITEMS, "{\"waitingRoom\":true,\"order\":\"LIFO\"}")),
        Arguments.of(
            "policy.graceSeconds",
            pool("\"hall\"", ITEMS, "{\"waitingRoom\":true,\"graceSeconds\":0}")),
        Arguments.of("items", pool("\"hall\"", "[]", "{}")),
        Arguments.of("items[0].item", pool("\"hall\"", "[{}]", "{}")),
        Arguments.of("items[0].colour", pool("\"hall\"", "[{\"item\":\"A\",\"colour\":1}]", "{}")),
        Arguments.of(
            "items[0].priceCents", pool("\"hall\"", "[{\"item\":\"A\",\"priceCents\":-1}]", "{}")),
        Arguments.of(
            "items[1].item", pool("\"hall\"", "[{\"item\":\"A\"},{\"item\":\"A\"}]", "{}")),
        Arguments.of("policy", pool("\"hall\"", ITEMS, "7")),
        Arguments.of("policy.colour", pool("\"hall\"", ITEMS, "{\"colour\":1}")),
        Arguments.of("policy.leaseSeconds", pool("\"hall\"", ITEMS, "{\"leaseSeconds\":0}")),
        Arguments.of("policy.leaseSeconds", pool("\"hall\"", ITEMS, "{\"leaseSeconds\":86401}")),
        Arguments.of(
            "policy.leaseSeconds",
            pool("\"hall\"", ITEMS, "{\"leaseSeconds\":60,\"windowSeconds\":30}")),
        Arguments.of(
            "policy.idempotencyWindowSeconds",
            pool("\"hall\"", ITEMS, "{\"idempotencyWindowSeconds\":86401}")),
        Arguments.of("policy.currency", pool("\"hall\"", ITEMS, "{\"currency\":\"euro\"}")),
        Arguments.of("policy.requireNonce", pool("\"hall\"", ITEMS, "{\"requireNonce\":1}")));
  }

  @ParameterizedTest
  @MethodSource("nonsense")
  void an_invalid_pool_is_refused_by_field_and_stored_under_its_token(String field, String body) {
    var token = Api.token();

    var first = api.post("/v1/pools", token, body);
    var second = api.post("/v1/pools", token, body);

    assertThat(first.statusCode() + Api.code(first)).isEqualTo("400invalid-request");
    assertThat(first.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(Http.json(first).get("field").asText()).isEqualTo(field);
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(Api.isReplay(second)).isTrue();
    assertThat(api.get("/v1/pools/hall").statusCode()).isEqualTo(404);
  }

  private static String pool(String name, String items, String policy) {
    return "{\"pool\":%s,\"kind\":\"SEATS\",\"items\":%s,\"policy\":%s}"
        .formatted(name, items, policy);
  }
}
