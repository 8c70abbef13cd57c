package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Api;
import io.holdfast.testing.Http;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/// Pools with rows of seats, for tests of the seat search. Rows are named `1`, `2`, … and their
/// seats `1-1`, `1-2`, …; a section is a letter before that.
record SeatRowPools(Api api) {
  String pool(int... rows) {
    var items = new ArrayList<String>();
    for (var row = 0; row < rows.length; row++) {
      for (var seat = 0; seat < rows[row]; seat++) {
        items.add(item(name(row, seat), null, row, seat));
      }
    }
    return create(items);
  }

  String create(String section, int seats, String other, int otherSeats) {
    var items = new ArrayList<String>();
    for (var seat = 0; seat < seats; seat++) {
      items.add(item(section + name(0, seat), section, 0, seat));
    }
    for (var seat = 0; seat < otherSeats; seat++) {
      items.add(item(other + name(0, seat), other, 0, seat));
    }
    return create(items);
  }

  private String create(List<String> items) {
    var pool = "pool-" + UUID.randomUUID();
    var body =
        "{\"pool\":\"%s\",\"kind\":\"SEATS\",\"items\":[%s],\"policy\":{\"maxHoldsPerRequester\":100}}"
            .formatted(pool, String.join(",", items));
    var made = api.post("/v1/pools", Api.token(), body);
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    return pool;
  }

  static String name(int row, int seat) {
    return (row + 1) + "-" + (seat + 1);
  }

  private static String item(String name, String section, int row, int seat) {
    return "{\"item\":\"%s\",\"section\":%s,\"row\":\"%d\",\"number\":%d}"
        .formatted(name, section == null ? "null" : "\"" + section + "\"", row + 1, seat + 1);
  }

  HttpResponse<String> best(String pool, int count) {
    return best(pool, count, "null");
  }

  HttpResponse<String> best(String pool, int count, String section) {
    var requester = "u-" + UUID.randomUUID();
    return api.post("/v1/pools/" + pool + "/holds", Api.token(), body(requester, count, section));
  }

  static String body(String requester, int count, String section) {
    return "{\"requester\":\"%s\",\"bestAvailable\":%d,\"section\":%s}"
        .formatted(requester, count, section);
  }

  static List<String> items(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    var items = new ArrayList<String>();
    Http.json(answer).get("items").forEach(item -> items.add(item.asText()));
    return items;
  }
}
