package io.holdfast.ablation;

import static io.holdfast.ablation.Ablation.cut;

import io.holdfast.ablation.Ablation.Cut;
import java.util.List;

/// The safeguards of stocks.
final class StockCatalogue {
  private static final String SALE = "src/main/java/io/holdfast/commitment/sale/";
  private static final String RULES = SALE + "ConfirmRules.java";
  private static final String OPTIMISTIC = SALE + "OptimisticSale.java";
  private static final String CAREFUL = SALE + "CarefulSale.java";

  private static final String HOLD = "redis-scripts/hold/";

  private static final String STOCK_TEST = "io.holdfast.hold.StockTest";
  private static final String SALE_TEST = "io.holdfast.commitment.StockSaleTest";
  private static final String CAPACITY_TEST = "io.holdfast.change.StockCapacityTest";
  private static final String VERSION_TEST = "io.holdfast.commitment.sale.StockVersionTest";
  private static final String MANY_BUYERS =
      SALE_TEST + "#many_buyers_on_two_instances_sell_the_capacity_and_not_one_more";

  private static final Cut UNITS_LEFT_IN_REDIS =
      cut(
          HOLD + "take.lua",
          "local refused = capacity - sold - held < wanted and",
          "local refused = false and");
  private static final Cut UNITS_LEFT_IN_RULES =
      cut(RULES, "unitsToTake(request, facts) <= facts.stock().left()", "true");

  /// Flyway refuses a second file of one version, so the constraints are dropped from the database
  /// that all tests copy.
  private static final Cut CONSTRAINTS =
      cut(
          "src/test/java/io/holdfast/testing/TemplateDatabase.java",
          "    return template;",
          """
              try (var connection = DriverManager.getConnection(template.addressOf(name));
                  var statement = connection.createStatement()) {
                statement.execute(
                    "ALTER TABLE stock DROP CONSTRAINT stock_sold_within_capacity,"
                        + " DROP CONSTRAINT stock_claimed_within_capacity");
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
              return template;
          """);

  private StockCatalogue() {}

  private static Cut capacityOf(String statement) {
    return cut(statement, "AND stock.sold + stock.claimed + given.units <= stock.capacity", "");
  }

  private static Cut versionOf(String statement) {
    return cut(statement, "AND stock.version = given.version", "");
  }

  static final List<Ablation> ALL =
      List.of(
          new Ablation(
              "lease of a stock (BR-T-3)",
              List.of(
                  cut(
                      "src/main/java/io/holdfast/pool/PoolPolicy.java",
                      "case STOCK -> Duration.ofSeconds(900);",
                      "case STOCK -> Duration.ofSeconds(600);")),
              List.of(STOCK_TEST + "#a_hold_of_a_quantity_lasts_fifteen_minutes")),
          new Ablation(
              "version of a stock (BR-C-2)",
              List.of(versionOf(OPTIMISTIC), versionOf(CAREFUL)),
              List.of(VERSION_TEST)),
          new Ablation(
              "capacity in the statements (BR-C-2)",
              List.of(capacityOf(OPTIMISTIC), capacityOf(CAREFUL)),
              List.of(VERSION_TEST)),
          new Ablation(
              "capacity in Postgres (BR-C-2)",
              List.of(UNITS_LEFT_IN_RULES, capacityOf(OPTIMISTIC), capacityOf(CAREFUL)),
              List.of(SALE_TEST + "#what_postgres_does_not_have_is_not_sold")),
          new Ablation(
              "units left in Redis",
              List.of(UNITS_LEFT_IN_REDIS),
              List.of(
                  STOCK_TEST + "#more_than_is_left_is_refused_and_a_replay_gets_equal_bytes",
                  MANY_BUYERS)),
          new Ablation(
              "constraints of a stock (BR-C-3)",
              List.of(CONSTRAINTS),
              List.of(SALE_TEST + "#the_table_itself_refuses_to_sell_more_than_there_is")),
          new Ablation(
              "all limits of a stock (BR-C-3)",
              List.of(
                  UNITS_LEFT_IN_REDIS,
                  UNITS_LEFT_IN_RULES,
                  capacityOf(OPTIMISTIC),
                  capacityOf(CAREFUL),
                  CONSTRAINTS),
              List.of(MANY_BUYERS)),
          new Ablation(
              "units that a hold gives back (BR-C-3)",
              List.of(
                  cut(
                      "redis-scripts/shared/ending.lua",
                      "held = held - count_of(hold)",
                      "held = held - 1")),
              List.of(
                  STOCK_TEST + "#an_expired_hold_returns_its_units_once",
                  SALE_TEST + "#random_holds_sales_parts_releases_and_voids_add_up")),
          new Ablation(
              "units given back once",
              List.of(cut(HOLD + "release.lua", "hold[1] ~= 'HELD' or hold[5]", "hold[5]")),
              List.of(STOCK_TEST + "#a_released_hold_returns_its_units_once")),
          new Ablation(
              "rest of a part",
              List.of(
                  cut(
                      HOLD + "settle.lua",
                      "local hold = parsed(present)",
                      "local hold = parsed(record)")),
              List.of(STOCK_TEST + "#a_part_of_a_hold_is_sold_and_the_rest_is_free")),
          new Ablation(
              "rest of a part in the event",
              List.of(
                  cut(
                      SALE + "DecidedRequest.java",
                      "&& held.items().size() > sold.items().size()",
                      "&& held.items().size() < sold.items().size()")),
              List.of(SALE_TEST + "#the_event_of_a_part_tells_what_was_sold_and_what_was_freed")),
          new Ablation(
              "capacity in use in Redis",
              List.of(
                  cut(
                      "redis-scripts/pool/limit.lua",
                      "if sold + held > wanted then",
                      "if false then")),
              List.of(
                  CAPACITY_TEST + "#the_capacity_is_raised_and_lowered_down_to_what_is_in_use")),
          new Ablation(
              "capacity in use in Postgres",
              List.of(
                  cut(
                      "src/main/java/io/holdfast/commitment/StockCapacity.java",
                      "AND sold + claimed <= ?",
                      "AND ?::bigint >= 0")),
              List.of(CAPACITY_TEST + "#a_capacity_below_what_postgres_has_sold_is_refused")),
          new Ablation(
              "limit while a capacity is lowered",
              List.of(cut(HOLD + "take.lua", "capacity = math.min(capacity, tonumber(limit))", "")),
              List.of(
                  CAPACITY_TEST
                      + "#nothing_is_granted_above_a_capacity_that_is_about_to_be_lowered")));
}
