package io.holdfast.ablation;

import static io.holdfast.ablation.Ablation.cut;

import java.util.List;

/// The safeguards of reservations.
final class ReservationCatalogue {
  private static final String SALE = "src/main/java/io/holdfast/commitment/sale/";
  private static final String RULES = SALE + "ConfirmRules.java";
  private static final String OPTIMISTIC = SALE + "OptimisticSale.java";
  private static final String CAREFUL = SALE + "CarefulSale.java";

  private static final String RESERVATION = "src/main/java/io/holdfast/reservation/";
  private static final String SERVICE = RESERVATION + "ReservationService.java";
  private static final String RESPONSES = RESERVATION + "ReservationResponses.java";
  private static final String JSON = RESERVATION + "ReservationJson.java";
  private static final String KEY = RESERVATION + "ReservationKey.java";
  private static final String BODY = RESERVATION + "ReserveBody.java";

  private static final String HOLD = "redis-scripts/hold/";

  private static final String VALUE_TEST = "io.holdfast.reservation.ReservationTest";
  private static final String RULES_TEST = "io.holdfast.reservation.ReservationRulesTest";
  private static final String EXPIRED =
      VALUE_TEST + "#after_its_time_a_reservation_is_expired_and_the_value_is_free";
  private static final String CONFIRMED =
      VALUE_TEST + "#a_confirmed_reservation_belongs_to_its_entity_for_good";
  private static final String RELEASED = VALUE_TEST + "#a_released_value_is_free_at_once";
  private static final String SWEPT = VALUE_TEST + "#the_sweep_ends_only_what_has_lapsed";
  private static final String AT_ONCE =
      VALUE_TEST + "#of_fifty_concurrent_requests_one_gets_the_value";
  private static final String FOUND =
      VALUE_TEST + "#a_reservation_is_found_by_id_by_key_and_by_type_and_value";
  private static final String UNKNOWN =
      RULES_TEST + "#an_unknown_reservation_and_a_missing_entity_are_refused";

  private ReservationCatalogue() {}

  static final List<Ablation> ALL =
      List.of(
          new Ablation(
              "time of a reservation (RV-AC-1)",
              List.of(
                  cut(
                      SERVICE,
                      "value, body.ttl(), metadata",
                      "value, call.pool().policy().lease(), metadata")),
              List.of(VALUE_TEST + "#a_value_is_reserved_for_five_minutes")),
          new Ablation(
              "one owner of a value (RV-AC-2, RV-INV-1, RV-DL-1)",
              List.of(cut(HOLD + "place.lua", "fence, 'NX', 'GET', 'PX'", "fence, 'GET', 'PX'")),
              List.of(AT_ONCE)),
          new Ablation(
              "id of the present reservation (RV-EX-2)",
              List.of(cut(RESPONSES, "hold.id(pool.name()).toString()", "null")),
              List.of(AT_ONCE)),
          new Ablation(
              "id for the owner only (RV-EX-2)",
              List.of(
                  cut(
                      HOLD + "place.lua",
                      "is_own and own[4] == caller and own[5] == requester",
                      "is_own")),
              List.of(AT_ONCE)),
          new Ablation(
              "expiry of reservations (RV-AC-3, RV-INV-2, RV-DL-3)",
              List.of(
                  cut(
                      HOLD + "sweep.lua",
                      "elseif hold and hold[1] == 'HELD' then",
                      "elseif hold and hold[1] == 'NEVER' then")),
              List.of(EXPIRED, SWEPT)),
          new Ablation(
              "expiry of lapsed reservations only (RV-EX-7)",
              List.of(
                  cut(
                      HOLD + "sweep.lua",
                      "DUE, '-inf', now_text, 'LIMIT'",
                      "DUE, '-inf', '+inf', 'LIMIT'"),
                  // a record refuses to have elapsed before its time
                  cut(HOLD + "sweep.lua", "elapsed_reason(hold)", "'FORCED'")),
              List.of(SWEPT)),
          new Ablation(
              "entity of a reservation (RV-AC-4)",
              List.of(
                  cut(
                      SERVICE,
                      "confirm(call, id, requester, entityId, logicalKey)",
                      "confirm(call, id, requester, \"x\", logicalKey)")),
              List.of(CONFIRMED)),
          new Ablation(
              "second confirm (RV-INV-3)",
              List.of(
                  cut(
                      SERVICE,
                      "HexFormat.of().formatHex(Digest.sha256(call.token().value()))",
                      "id")),
              List.of(CONFIRMED)),
          new Ablation(
              "concurrent confirms (RV-INV-3)",
              List.of(
                  cut(RULES, "if (row != null && row.state() != HoldState.HELD) {", "if (false) {"),
                  cut(
                      RULES,
                      "return state == HoldState.HELD && pinNoOnRecord <= pinNo;",
                      "return true;"),
                  cut(RULES, "case SOLD -> false;", "case SOLD -> true;"),
                  cut(OPTIMISTIC, "WHERE old.state = 'HELD'", "WHERE true"),
                  cut(CAREFUL, "WHERE old.state = 'HELD'", "WHERE true"),
                  cut(OPTIMISTIC, "WHERE old.status = 'FREE' AND", "WHERE"),
                  cut(CAREFUL, "WHERE old.status = 'FREE' AND", "WHERE")),
              List.of(VALUE_TEST + "#of_many_concurrent_confirms_one_links_its_entity")),
          new Ablation(
              "end of the time of a confirmed reservation (RV-EX-3)",
              List.of(
                  cut(
                      JSON,
                      "hold.state() == HoldState.CONFIRMED ? null : time(hold.leaseUntil())",
                      "time(hold.leaseUntil())")),
              List.of(CONFIRMED)),
          new Ablation(
              "value freed by a release (RV-AC-5, RV-INV-4)",
              List.of(
                  cut(
                      HOLD + "release.lua",
                      "finish(hold, 'RELEASED', '')",
                      "ended(hold, 'RELEASED', '')")),
              List.of(RELEASED)),
          new Ablation(
              "state that a refused call met (RV-EX-3, RV-EX-4)",
              List.of(
                  cut(
                      RESPONSES,
                      "met.<MutableHttpResponse<?>>map",
                      "Optional.<HoldState>empty().<MutableHttpResponse<?>>map")),
              List.of(CONFIRMED, RELEASED)),
          new Ablation(
              "reason after the expiry (RV-EX-3, RV-EX-4)",
              List.of(cut(RESPONSES, "case Reason.ELAPSED -> ended(HoldState.EXPIRED);", "")),
              List.of(EXPIRED)),
          new Ablation(
              "reason of an unknown reservation (RV-EX-3, RV-EX-4)",
              List.of(cut(RESPONSES, "case Reason.NOT_KNOWN -> notFound();", "")),
              List.of(UNKNOWN)),
          new Ablation(
              "required entity (RV-EX-3)",
              List.of(
                  cut(
                      RESERVATION + "ReservationController.java",
                      "if (entityId == null || entityId.isBlank()) {",
                      "if (false) {")),
              List.of(UNKNOWN)),
          new Ablation(
              "namespace of a type (RV-AC-6, RV-INV-5)",
              List.of(
                  cut(
                      RESERVATION + "ReservationController.java",
                      "ReservationKey.of(body.get(\"type\"), body.get(\"value\"))",
                      "ReservationKey.of(\"any\", body.get(\"value\"))")),
              List.of(VALUE_TEST + "#one_value_can_be_reserved_in_two_types")),
          new Ablation(
              "correlation id (RV-DL-2)",
              List.of(cut(JSON, "return correlationId == null", "return true")),
              List.of(VALUE_TEST + "#the_correlation_id_is_stored_and_returned")),
          new Ablation(
              "shortest time (RV-EX-1)",
              List.of(
                  cut(
                      BODY,
                      "optionalWhole(\"ttlMs\", TTL_MIN, ",
                      "optionalWhole(\"ttlMs\", Long.MIN_VALUE, ")),
              List.of(RULES_TEST)),
          new Ablation(
              "longest time (RV-EX-1)",
              List.of(cut(BODY, "if (ttl > most) {", "if (false) {")),
              List.of(RULES_TEST)),
          new Ablation(
              "form of a type (RV-EX-5)",
              List.of(
                  cut(
                      KEY,
                      "given instanceof String text && PoolName.isName(text)",
                      "given instanceof String text")),
              List.of(RULES_TEST)),
          new Ablation(
              "colons in a value (RV-EX-5)",
              List.of(cut(KEY, "key.indexOf(':')", "key.lastIndexOf(':')")),
              List.of(RULES_TEST)),
          new Ablation(
              "look-up of a reserved value (RV-EX-6)",
              List.of(cut(SERVICE, "&& !live.isEmpty()", "&& live.size() > 1")),
              List.of(FOUND)),
          new Ablation(
              "look-up of an unknown value (RV-EX-6)",
              List.of(
                  cut(
                      RESERVATION + "ReservationReadController.java",
                      "case LookUp.Unknown() -> ReservationResponses.notFound();",
                      "case LookUp.Unknown() -> HttpResponse.ok();")),
              List.of(FOUND)),
          new Ablation(
              "hash of a value",
              List.of(
                  cut(
                      RESERVATION + "StoredValue.java",
                      "key == null ? wanted.value() : hash(wanted, key)",
                      "wanted.value()")),
              List.of("io.holdfast.reservation.HashedValuesTest")),
          new Ablation(
              "commit of a returned value",
              List.of(
                  cut(
                      RESERVATION + "ReturnController.java",
                      "result instanceof IdempotentResult.Done && done[0] != null",
                      "done[0] != null")),
              List.of("io.holdfast.reservation.ReturnedValueTest")));
}
