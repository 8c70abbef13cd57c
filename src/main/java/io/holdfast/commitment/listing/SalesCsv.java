package io.holdfast.commitment.listing;

import io.holdfast.web.Timestamp;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Enumeration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The sales of a pool as CSV (RFC 4180), one line for each item. A page is read when the client
/// has taken the one before, so a file of any size takes little memory and no long transaction. If
/// Postgres is lost on the way, the response breaks off without its end.
final class SalesCsv implements Enumeration<InputStream> {
  private static final String HEADER =
      "commitmentId,orderId,pool,item,priceCents,currency,caller,requester,committedAt,voidedAt\r\n";

  private static final int PAGE_SALES = 100;

  /// Where a spreadsheet takes a cell for a formula: what it may begin with, at the beginning of a
  /// field or after a character that some countries' spreadsheets take for the end of a cell.
  private static final Pattern FORMULA = Pattern.compile("(^|[;\t])(?=[-=+@\t\r\n])");

  private final SalesReader reader;
  private final SalesFilter filter;
  private String after = "";
  private byte @Nullable [] next = utf8(HEADER);

  private SalesCsv(SalesReader reader, SalesFilter filter) {
    this.reader = reader;
    this.filter = filter;
  }

  /// The whole file, read as the stream is read.
  static InputStream of(SalesReader reader, SalesFilter filter) {
    return new SequenceInputStream(new SalesCsv(reader, filter));
  }

  @Override
  public boolean hasMoreElements() {
    if (next == null) {
      next = page();
    }
    return next.length > 0;
  }

  @Override
  public InputStream nextElement() {
    if (!hasMoreElements() || next == null) {
      throw new NoSuchElementException();
    }
    var page = new ByteArrayInputStream(next);
    next = null;
    return page;
  }

  /// Empty after the last page.
  private byte[] page() {
    var sales = reader.page(filter, after, PAGE_SALES);
    if (!sales.isEmpty()) {
      after = sales.getLast().hold().toString();
    }
    return utf8(sales.stream().flatMap(SalesCsv::lines).collect(Collectors.joining()));
  }

  private static Stream<String> lines(ListedSale sale) {
    return sale.items().stream().map(item -> line(sale, item));
  }

  private static String line(ListedSale sale, ListedSale.Item item) {
    var voidedAt = item.voidedAt();
    return List.of(
                sale.commitmentId(),
                sale.orderId(),
                sale.hold().pool().value(),
                item.name(),
                Long.toString(item.cents()),
                sale.currency(),
                sale.caller(),
                sale.requester(),
                Timestamp.of(sale.committedAt()),
                voidedAt == null ? "" : Timestamp.of(voidedAt))
            .stream()
            .map(SalesCsv::field)
            .collect(Collectors.joining(","))
        + "\r\n";
  }

  /// An apostrophe makes a spreadsheet take a cell for a text and not for a formula.
  static String field(String value) {
    var text = FORMULA.matcher(value).replaceAll("$1'");
    var isPlain = text.chars().noneMatch(c -> c == '"' || c == ',' || c == '\r' || c == '\n');
    return isPlain ? text : '"' + text.replace("\"", "\"\"") + '"';
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
