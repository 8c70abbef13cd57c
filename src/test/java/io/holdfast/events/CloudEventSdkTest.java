package io.holdfast.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudevents.CloudEvent;
import io.cloudevents.http.HttpMessageFactory;
import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Receivers read events with the official SDK of CloudEvents.
@ExtendWith(RealServers.class)
class CloudEventSdkTest {
  private static final String PUBLIC = "https://tickets.example";

  @Test
  @Requirement("AU-15")
  void a_delivered_event_is_accepted_and_names_its_schema_by_the_public_address(
      TestServers servers) {
    try (var receiver = Receiver.open();
        var service = Subscriber.service(servers, Map.of("holdfast.public-url", PUBLIC))) {
      var hold = sold(Subscriber.of(service), receiver);

      var event = delivered(receiver);

      assertThat(event.getType()).isEqualTo("hold.confirmed");
      assertThat(event.getSubject()).isEqualTo(hold.id());
      assertThat(event.getExtension("sequence")).isNotNull();
      assertThat(event.getDataContentType()).isEqualTo("application/json");
      assertThat(event.getDataSchema().toString()).startsWith(PUBLIC + "/v1/event-types/");
      assertThat(Http.get(service.http(), event.getDataSchema().getPath()).statusCode())
          .isEqualTo(200);
    }
  }

  @Test
  @Requirement("AU-15")
  void a_schema_is_found_at_the_address_of_the_instance_if_no_other_is_set(TestServers servers) {
    try (var receiver = Receiver.open();
        var service = Subscriber.service(servers, Map.of())) {
      sold(Subscriber.of(service), receiver);

      var schema = delivered(receiver).getDataSchema();

      assertThat(schema).matches(URI::isAbsolute);
      assertThat(Http.get(schema, schema.getPath()).body()).contains("$schema");
    }
  }

  @Test
  @Requirement("AU-15")
  void an_event_that_is_read_is_accepted_as_well(Service service) {
    var api = Api.of(service);
    var pool = api.pool(1);
    api.confirm(api.hold(pool, "ann", "A-1"), Api.token(), "ann", "order-1");

    var path = "/v1/pools/" + pool + "/events/1";
    Await.until(Subscriber.SOON, () -> api.get(path).statusCode() == 200); // the journal drains
    var answer = api.get(path);

    var type = answer.headers().firstValue("Content-Type").orElseThrow();
    var event = read(Map.of("content-type", type), answer.body());
    assertThat(event.getId()).isNotBlank();
    assertThat(event.getDataSchema()).matches(URI::isAbsolute);
  }

  private static Api.Hold sold(Subscriber subscriber, Receiver receiver) {
    subscriber.register(receiver, "hold.confirmed");
    var api = subscriber.api();
    var hold = api.hold(api.pool(1), "Anna Ärmel", "A-1");
    api.confirm(hold, Api.token(), "Anna Ärmel", "order-1");
    return hold;
  }

  private static CloudEvent delivered(Receiver receiver) {
    var request = Subscriber.awaitRequests(receiver, 1).getFirst();
    return read(Map.of("content-type", request.header("content-type")), request.body());
  }

  private static CloudEvent read(Map<String, String> headers, String body) {
    return HttpMessageFactory.createReader(headers, body.getBytes(StandardCharsets.UTF_8))
        .toEvent();
  }
}
