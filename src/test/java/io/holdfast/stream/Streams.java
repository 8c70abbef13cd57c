package io.holdfast.stream;

import io.holdfast.app.Service;
import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import java.net.http.HttpResponse;
import java.util.UUID;

/// A client that creates and extends streams of users.
record Streams(Api api) {
  static Streams of(Service service) {
    return new Streams(Api.of(service));
  }

  static String aName() {
    return "user-" + UUID.randomUUID();
  }

  HttpResponse<String> create(String name) {
    return append(Api.token(), name, 0, "UserCreated");
  }

  HttpResponse<String> append(String token, String name, long expectedVersion, String... types) {
    return post(token, body(name, expectedVersion, types));
  }

  HttpResponse<String> post(String token, String body) {
    return api.post("/v1/streams", token, body);
  }

  HttpResponse<String> read(String streamId) {
    return api.get("/v1/streams/" + streamId);
  }

  static String body(String name, long expectedVersion, String... types) {
    var events = new StringBuilder();
    for (var type : types) {
      events
          .append(events.isEmpty() ? "" : ",")
          .append("{\"type\":\"%s\",\"data\":{\"name\":\"%s\"}}".formatted(type, name));
    }
    return """
    {"entityType":"User","businessKey":["%s"],"field":"username","expectedVersion":%d,"events":[%s]}
    """
        .formatted(name, expectedVersion, events);
  }

  static String id(HttpResponse<String> response) {
    return Http.json(response).path("streamId").asText();
  }
}
