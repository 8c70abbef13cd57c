package io.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Follows the `Link` headers of a list to its end.
public final class Pages {
  private static final Pattern NEXT = Pattern.compile("<(.*)>; rel=\"next\"");
  private static final int PAGES_MAX = 1_000;

  private Pages() {}

  /// All entries of the list.
  ///
  /// @param member of the body that has the entries
  public static List<JsonNode> of(Api api, String path, String member) {
    var entries = new ArrayList<JsonNode>();
    var next = path;
    for (var page = 0; page < PAGES_MAX; page++) {
      var answer = api.get(next);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      Http.json(answer).get(member).forEach(entries::add);
      var link = answer.headers().firstValue("Link").map(NEXT::matcher);
      if (link.isEmpty()) {
        return entries;
      }
      assertThat(link.get().matches()).isTrue();
      next = link.get().group(1);
    }
    throw new AssertionError("the list has no end: " + path);
  }

  /// One field of all entries.
  public static List<String> texts(Api api, String path, String member, String field) {
    return of(api, path, member).stream().map(entry -> entry.get(field).asText()).toList();
  }
}
