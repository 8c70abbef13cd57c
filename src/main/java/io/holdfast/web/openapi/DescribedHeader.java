package io.holdfast.web.openapi;

import java.util.LinkedHashMap;
import java.util.Map;

/// The headers of responses that several routes send, described once.
enum DescribedHeader {
  ETAG("ETag", "The version of the body, for If-None-Match.", "\"17\""),
  IDEMPOTENT_REPLAYED(
      "Idempotent-Replayed",
      "`true` if this is the answer of an earlier request with the same Idempotency-Key.",
      "true"),
  LINK(
      "Link",
      "The address of the next page, with rel=\"next\". The last page has none.",
      "</v1/pools?after=arena&limit=100>; rel=\"next\""),
  LOCATION("Location", "The path of what was created.", "/v1/holds/…"),
  PREFERENCE_APPLIED("Preference-Applied", "The preference that was followed.", "wait=5"),
  RATE_LIMIT("RateLimit", "What is left of the caller's limit, if there is one.", ""),
  RATE_LIMIT_POLICY("RateLimit-Policy", "The caller's limit, if there is one.", ""),
  RETRY_AFTER("Retry-After", "Seconds until a retry can succeed.", "1"),
  TRACE_ID(
      "Trace-Id",
      "The id of this request in the log, that of `traceparent` if there is one.",
      "4bf92f3577b34da6a3ce929d0e0e4736"),
  WWW_AUTHENTICATE("WWW-Authenticate", "How to authenticate.", "Bearer");

  private static final String REFERENCE = "$ref";

  private final String header;
  private final String description;
  private final String example;

  DescribedHeader(String header, String description, String example) {
    this.header = header;
    this.description = description;
    this.example = example;
  }

  /// Adds a reference to the description. What a route says of the header itself stays.
  void addTo(Map<String, Object> response) {
    Node.in(response, "headers").putIfAbsent(header, Node.reference("headers", header));
  }

  /// The generator adds a schema to a reference, beside which nothing may stand.
  static void keepOnlyReferences(Map<String, Object> response) {
    if (response.containsKey("headers")) {
      Node.in(response, "headers")
          .replaceAll(
              (_, header) ->
                  Node.of(header).containsKey(REFERENCE)
                      ? Map.of(REFERENCE, Node.of(header).get(REFERENCE))
                      : header);
    }
  }

  static Map<String, Object> all() {
    var all = new LinkedHashMap<String, Object>();
    for (var each : values()) {
      var described = new LinkedHashMap<String, Object>();
      described.put("description", each.description);
      described.put("schema", Map.of("type", "string"));
      if (!each.example.isEmpty()) {
        described.put("example", each.example);
      }
      all.put(each.header, described);
    }
    return all;
  }
}
