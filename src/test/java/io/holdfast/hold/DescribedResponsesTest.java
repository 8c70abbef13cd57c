package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Responses that are written by hand have the fields that OpenAPI describes.
@ExtendWith(RealServers.class)
class DescribedResponsesTest {
  private static Api api;

  @BeforeAll
  static void find(Service service) {
    api = Api.of(service);
  }

  @Test
  void a_hold_has_the_described_fields_before_and_after_its_end() {
    var pool = api.pool(2);
    var hold = api.hold(pool, "ann", "A-1");

    assertDescribed(HoldApiSchemas.Hold.class, Http.json(api.get("/v1/holds/" + hold.id())));
    assertDescribed(
        HoldApiSchemas.Hold.class, Http.json(api.confirm(hold, Api.token(), "ann", "order-1")));
    assertDescribed(HoldApiSchemas.Holds.class, Http.json(api.get("/v1/pools/" + pool + "/holds")));
  }

  @Test
  void a_heartbeat_and_an_operation_have_the_described_fields() {
    var pool = api.pool(1);
    var token = Api.token();
    var hold = api.hold(pool, "ann", "A-1");
    api.release(hold.id(), token, "ann");
    var other = api.hold(pool, "bob", "A-1");

    assertDescribed(
        HoldApiSchemas.Operation.class,
        Http.json(api.get("/v1/operations/" + token + "?pool=" + pool)));
    assertDescribed(
        HoldApiSchemas.HeartbeatResult.class,
        Http.json(api.heartbeat(other.id(), "bob", other.fence())));
  }

  private static void assertDescribed(Class<?> description, JsonNode body) {
    Set<String> present = new TreeSet<>();
    body.fieldNames().forEachRemaining(present::add);

    assertThat(present).as(body.toString()).isSubsetOf(names(description, false));
    assertThat(present).as(body.toString()).containsAll(names(description, true));
  }

  private static Set<String> names(Class<?> description, boolean isRequired) {
    return Arrays.stream(description.getRecordComponents())
        .filter(
            component ->
                !isRequired || !component.getAnnotatedType().isAnnotationPresent(Nullable.class))
        .map(RecordComponent::getName)
        .collect(Collectors.toSet());
  }
}
