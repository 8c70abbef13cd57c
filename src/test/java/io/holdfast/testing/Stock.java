package io.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Api.Hold;
import java.net.http.HttpResponse;
import java.util.UUID;

/// A pool of units and the calls on it.
public record Stock(Api api, String pool) {
  public static final long PRICE = 2_500;

  public static Stock of(Api api, long capacity) {
    return of(api, capacity, "{}");
  }

  public static Stock of(Api api, long capacity, String policy) {
    var name = "stock-" + UUID.randomUUID();
    var body =
        "{\"pool\":\"%s\",\"kind\":\"STOCK\",\"capacity\":%d,\"priceCents\":%d,\"policy\":%s}"
            .formatted(name, capacity, PRICE, policy);
    var made = api.post("/v1/pools", Api.token(), body);
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    return new Stock(api, name);
  }

  public HttpResponse<String> place(String token, String requester, int quantity) {
    return api.post(
        "/v1/pools/" + pool + "/holds",
        token,
        "{\"requester\":\"%s\",\"quantity\":%d}".formatted(requester, quantity));
  }

  /// Places a hold that must succeed.
  public Hold hold(String requester, int quantity) {
    var placed = place(Api.token(), requester, quantity);
    assertThat(placed.statusCode()).as(placed.body()).isEqualTo(201);
    return Hold.of(placed);
  }

  public HttpResponse<String> confirm(Hold hold, String requester, int quantity) {
    var more = ",\"quantity\":" + quantity;
    return api.confirm(hold, Api.token(), requester, "order-" + hold.fence(), more);
  }

  /// Free, held and sold units, such as `7 2 1`.
  public String counts() {
    var counts = Http.json(api.get("/v1/pools/" + pool)).get("counts");
    return counts.get("free") + " " + counts.get("held") + " " + counts.get("sold");
  }

  /// Sold and claimed units in Postgres.
  public String row(Rows rows) {
    return rows.texts("SELECT sold || ' ' || claimed FROM stock WHERE pool = ?", pool).getFirst();
  }
}
