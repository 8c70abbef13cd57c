package io.holdfast.commitment.listing;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.holdfast.pool.PoolKind;
import io.holdfast.web.Metadata;
import io.holdfast.web.Timestamp;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A sale in responses.
///
/// @param metadata of its hold; null if that was placed without
/// @param items empty for a quantity
/// @param quantity how many items or units were sold
/// @param voidedQuantity how many of them are voided
/// @param totalCents the price of all items when they were sold
/// @param voidedCents the part of it whose items are voided
@Serdeable
@Schema(name = "Sale")
@JsonInclude(JsonInclude.Include.ALWAYS)
record SaleJson(
    String commitmentId,
    String pool,
    String holdId,
    String orderId,
    String caller,
    String requester,
    @Nullable Map<String, String> metadata,
    ListedSale.State state,
    List<ItemView> items,
    long quantity,
    long voidedQuantity,
    long totalCents,
    long voidedCents,
    String currency,
    String committedAt) {

  /// @param voidedAt null while it is sold
  @Serdeable
  @Schema(name = "SaleItem")
  @JsonInclude(JsonInclude.Include.ALWAYS)
  record ItemView(String item, long priceCents, @Nullable String voidedAt) {
    static ItemView of(ListedSale.Item item) {
      var at = item.voidedAt();
      return new ItemView(item.name(), item.cents(), at == null ? null : Timestamp.of(at));
    }
  }

  @Serdeable
  @Schema(name = "Sales")
  record Listed(List<SaleJson> sales) {}

  /// Units have no names outside of the service.
  static SaleJson of(PoolKind kind, ListedSale sale) {
    var items = kind == PoolKind.STOCK ? List.<ListedSale.Item>of() : sale.items();
    return new SaleJson(
        sale.commitmentId(),
        sale.hold().pool().value(),
        sale.hold().toString(),
        sale.orderId(),
        sale.caller(),
        sale.requester(),
        Metadata.parse(sale.metadata()),
        sale.state(),
        items.stream().map(ItemView::of).toList(),
        sale.items().size(),
        sale.items().stream().filter(ListedSale.Item::isVoided).count(),
        sale.cents(),
        sale.voidedCents(),
        sale.currency(),
        Timestamp.of(sale.committedAt()));
  }
}
