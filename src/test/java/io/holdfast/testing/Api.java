package io.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// A client of the service with the key of one caller. Responses are returned unchecked.
public record Api(URI base, String key) {

  /// Uses the key of the operator, which has all scopes.
  public static Api of(Service service) {
    return new Api(service.http(), TestServers.KEY);
  }

  public static String token() {
    return UUID.randomUUID().toString();
  }

  /// Creates a key for another caller and returns a client that uses it.
  public Api as(String caller, String... scopes) {
    var body = "{\"caller\":\"%s\",\"scopes\":%s}".formatted(caller, list(List.of(scopes)));
    var made = post("/v1/keys", token(), body);
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    return new Api(base, Http.json(made).get("key").asText());
  }

  public HttpResponse<String> createPool(String pool, List<String> items, String policy) {
    var objects = items.stream().map("{\"item\":\"%s\"}"::formatted);
    return post(
        "/v1/pools",
        token(),
        "{\"pool\":\"%s\",\"kind\":\"SEATS\",\"items\":[%s],\"policy\":%s}"
            .formatted(pool, objects.collect(Collectors.joining(",")), policy));
  }

  /// Creates a pool with items `A-1` to `A-n` and returns its unique name.
  public String pool(int items, String policy) {
    var name = "pool-" + UUID.randomUUID();
    var names = IntStream.rangeClosed(1, items).mapToObj(i -> "A-" + i).toList();
    var made = createPool(name, names, policy);
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    return name;
  }

  /// Creates a pool with seats `A-1` to `A-n` side by side at 5 euros, and returns its unique name.
  public String row(int seats, String policy) {
    var name = "row-" + UUID.randomUUID();
    var seat =
        "{\"item\":\"A-%1$d\",\"section\":\"A\",\"row\":\"1\",\"number\":%1$d,\"priceCents\":500}";
    var items = IntStream.rangeClosed(1, seats).mapToObj(seat::formatted).toList();
    var made =
        post(
            "/v1/pools",
            token(),
            "{\"pool\":\"%s\",\"kind\":\"SEATS\",\"items\":%s,\"policy\":%s}"
                .formatted(name, items, policy));
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    return name;
  }

  /// Takes items out of sale.
  public HttpResponse<String> block(String pool, String... items) {
    return post(
        "/v1/pools/" + pool + "/blocks",
        token(),
        "{\"items\":%s,\"reason\":\"a test\"}".formatted(list(List.of(items))));
  }

  /// Brings items back on sale.
  public HttpResponse<String> unblock(String pool, String... items) {
    var body = "{\"items\":%s}".formatted(list(List.of(items)));
    var path = "/v1/pools/" + pool + "/blocks";
    return Http.send(base, "DELETE", path, body, withKey("Idempotency-Key", token()));
  }

  public String pool(int items) {
    return pool(items, "{}");
  }

  public HttpResponse<String> place(String pool, String token, String requester, String... items) {
    var body = "{\"requester\":\"%s\",\"items\":%s}".formatted(requester, list(List.of(items)));
    return post("/v1/pools/" + pool + "/holds", token, body);
  }

  /// Places a hold that must succeed.
  public Hold hold(String pool, String requester, String... items) {
    var placed = place(pool, token(), requester, items);
    assertThat(placed.statusCode()).as(placed.body()).isEqualTo(201);
    return Hold.of(placed);
  }

  public HttpResponse<String> heartbeat(String holdId, String requester, long fence) {
    var body = "{\"requester\":\"%s\",\"fence\":%d}".formatted(requester, fence);
    return Http.post(
        base, "/v1/holds/" + holdId + "/heartbeat", body, "Authorization", "Bearer " + key);
  }

  public HttpResponse<String> release(String holdId, String token, String requester) {
    var body = "{\"requester\":\"%s\"}".formatted(requester);
    return post("/v1/holds/" + holdId + "/release", token, body);
  }

  public HttpResponse<String> expire(String holdId, String token, boolean force) {
    return post("/v1/holds/" + holdId + "/expire", token, force ? "{\"force\":true}" : "{}");
  }

  public HttpResponse<String> confirm(Hold hold, String token, String requester, String order) {
    return confirm(hold, token, requester, order, "");
  }

  /// @param more fields, each with a comma before it
  public HttpResponse<String> confirm(
      Hold hold, String token, String requester, String order, String more) {
    var body =
        "{\"requester\":\"%s\",\"fence\":%d,\"orderId\":\"%s\"%s}"
            .formatted(requester, hold.fence(), order, more);
    return post("/v1/holds/" + hold.id() + "/confirm", token, body);
  }

  public HttpResponse<String> read(String holdId) {
    return get("/v1/holds/" + holdId);
  }

  public HttpResponse<String> get(String path, String... headers) {
    return Http.get(base, path, withKey(headers));
  }

  public HttpResponse<String> post(String path, String token, String body) {
    return Http.post(base, path, body, withKey("Idempotency-Key", token));
  }

  public HttpResponse<String> delete(String path, String token) {
    return Http.delete(base, path, withKey("Idempotency-Key", token));
  }

  public HttpResponse<String> patch(String path, String token, String body) {
    return Http.send(base, "PATCH", path, body, withKey("Idempotency-Key", token));
  }

  /// The states of the items of a pool: FREE, HELD or SOLD.
  public String stateOf(String pool, String item) {
    var items = Http.json(get("/v1/pools/" + pool + "/items")).get("items");
    for (var each : items) {
      if (each.get("item").asText().equals(item)) {
        return each.get("state").asText();
      }
    }
    throw new AssertionError("no item " + item + " in " + pool);
  }

  /// Reads a timestamp of a response.
  public static Instant time(HttpResponse<String> answer, String field) {
    return Instant.parse(Http.json(answer).get(field).asText());
  }

  /// The code of a problem; empty if there is none.
  public static String code(HttpResponse<String> answer) {
    return Http.json(answer).path("code").asText();
  }

  public static boolean isReplay(HttpResponse<String> answer) {
    return answer.headers().firstValue("Idempotent-Replayed").filter("true"::equals).isPresent();
  }

  /// The counts of a pool, such as `2 free, 1 held`.
  public String counts(String pool) {
    var counts = Http.json(get("/v1/pools/" + pool)).get("counts");
    return counts.get("free") + " free, " + counts.get("held") + " held";
  }

  private String[] withKey(String... headers) {
    return Stream.concat(Stream.of("Authorization", "Bearer " + key), Stream.of(headers))
        .toArray(String[]::new);
  }

  private static String list(List<String> texts) {
    return texts.stream().collect(Collectors.joining("\",\"", "[\"", "\"]"));
  }

  /// A hold that the client has placed.
  public record Hold(String id, long fence) {
    public static Hold of(HttpResponse<String> answer) {
      var json = Http.json(answer);
      return new Hold(json.get("holdId").asText(), json.get("fence").asLong());
    }
  }
}
