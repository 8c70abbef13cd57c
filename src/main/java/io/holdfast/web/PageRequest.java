package io.holdfast.web;

import io.micronaut.http.MutableHttpResponse;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// One page of a list: at most `limit` entries after `after`. Responses have the URL of the next
/// page in their `Link` header.
public final class PageRequest {
  private static final int LIMIT_DEFAULT = 50;
  private static final int LIMIT_MAX = 500;

  private final String after;
  private final int limit;
  private final StringBuilder query = new StringBuilder();

  private PageRequest(String after, int limit) {
    this.after = after;
    this.limit = limit;
  }

  public static PageRequest read(@Nullable String after, @Nullable String limit) {
    return new PageRequest(
        after == null ? "" : after(after), limit == null ? LIMIT_DEFAULT : limit(limit));
  }

  public String after() {
    return after;
  }

  public long afterNumber() {
    try {
      return after.isEmpty() ? 0 : Long.parseLong(after);
    } catch (NumberFormatException e) {
      throw notFromLink();
    }
  }

  public int limit() {
    return limit;
  }

  /// The page that follows `last`.
  public PageRequest next(String last) {
    return new PageRequest(last, limit).with("after", last).with("limit", Integer.toString(limit));
  }

  public PageRequest with(String name, @Nullable String value) {
    if (value != null) {
      query
          .append(query.isEmpty() ? '?' : '&')
          .append(name)
          .append('=')
          .append(URLEncoder.encode(value, StandardCharsets.UTF_8));
    }
    return this;
  }

  public void linkTo(String path, MutableHttpResponse<?> response) {
    response.header("Link", "<" + path + query + ">; rel=\"next\"");
  }

  /// Refuses texts that no name can be and that Postgres cannot compare.
  private static String after(String text) {
    if (!text.isEmpty() && TextRule.ANY.fault(text) != null) {
      throw notFromLink();
    }
    return text;
  }

  /// A filter that is `true` or `false`; null if it is not given.
  public static @Nullable Boolean flag(String name, @Nullable String text) {
    return switch (text) {
      case null -> null;
      case "true" -> true;
      case "false" -> false;
      default -> throw InvalidField.of(name, "has to be true or false");
    };
  }

  public static InvalidField notFromLink() {
    return new InvalidField("after", "The field after has to be taken from a Link header.");
  }

  private static int limit(String text) {
    try {
      var limit = Integer.parseInt(text);
      if (limit >= 1 && limit <= LIMIT_MAX) {
        return limit;
      }
    } catch (NumberFormatException e) {
      // refused below
    }
    throw new InvalidField(
        "limit", "The field limit has to be a whole number from 1 to " + LIMIT_MAX + ".");
  }
}
