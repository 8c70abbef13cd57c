package io.holdfast.ablation;

import static io.holdfast.ablation.Ablation.cut;

import java.util.List;

/// The safeguards of streams with deterministic ids.
final class StreamCatalogue {
  private static final String STREAM = "src/main/java/io/holdfast/stream/";
  private static final String IDS = STREAM + "DeterministicStreamIds.java";
  private static final String APPENDER = STREAM + "StreamAppender.java";

  private static final String IDS_TEST = "io.holdfast.stream.DeterministicStreamIdsTest";
  private static final String CREATE_TEST = "io.holdfast.stream.StreamCreateTest";
  private static final String APPEND_TEST = "io.holdfast.stream.StreamAppendTest";
  private static final String ERRORS_TEST = "io.holdfast.stream.AppendErrorsTest";
  private static final String MUTABLE_TEST = "io.holdfast.stream.MutableFieldTest";
  private static final String ROTATION_TEST = "io.holdfast.stream.KeyRotationTest";

  private StreamCatalogue() {}

  static final List<Ablation> ALL =
      List.of(
          new Ablation(
              "length before each part of a business key",
              List.of(cut(IDS, "form.writeInt(bytes.length);", "")),
              List.of(IDS_TEST + "#parts_are_not_joined")),
          new Ablation(
              "secret of stream ids",
              List.of(
                  cut(
                      STREAM + "IdKey.java",
                      "mac.init(secret);",
                      "mac.init(new SecretKeySpec(\"0\".repeat(32).getBytes(), ALGORITHM));")),
              List.of(IDS_TEST + "#a_dictionary_finds_no_business_key_without_the_deployment_key")),
          new Ablation(
              "unique ids of streams",
              List.of(
                  cut(
                      APPENDER,
                      "FROM unnest(?::text[]) AS given (alias)",
                      "FROM unnest(?::text[]) AS given (alias) ON CONFLICT DO NOTHING"),
                  cut(
                      APPENDER,
                      "VALUES (?, ?, ?, ?, ?)",
                      "VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"),
                  cut(
                      APPENDER,
                      "WITH ORDINALITY AS given (type, data, position)",
                      "WITH ORDINALITY AS given (type, data, position) ON CONFLICT DO NOTHING")),
              List.of(CREATE_TEST + "#the_second_create_is_a_violation_with_field_and_value")),
          new Ablation(
              "ids under all keys",
              List.of(
                  cut(
                      IDS,
                      "keys.all().stream().map(key -> id(key, entityType,"
                          + " form)).distinct().toList()",
                      "List.of(id(keys.current(), entityType, form))")),
              List.of(ROTATION_TEST)),
          new Ablation(
              "expected version",
              List.of(cut(APPENDER, "AND version = ?", "AND ?::bigint > 0")),
              List.of(APPEND_TEST)),
          new Ablation(
              "owner of a stream",
              List.of(cut(APPENDER, "AND caller = ?", "AND ?::text IS NOT NULL")),
              List.of(
                  CREATE_TEST
                      + "#another_caller_addresses_the_same_stream_and_learns_nothing_about_it")),
          new Ablation(
              "other errors than version conflicts",
              List.of(cut(APPENDER, "if (!isVersionConflict(e)) {", "if (e == null) {")),
              List.of(
                  ERRORS_TEST + "#any_other_error_is_not_translated",
                  ERRORS_TEST + "#an_error_of_another_kind_is_not_translated")),
          new Ablation(
              "savepoint before an append",
              List.of(cut(APPENDER, "connection.rollback(savepoint);", "")),
              List.of(CREATE_TEST + "#the_second_create_is_a_violation_with_field_and_value")),
          new Ablation(
              "mutable field",
              List.of(
                  cut(
                      STREAM + "StreamService.java",
                      "if (request.isCreate() && isMutable(request)) {",
                      "if (false) {")),
              List.of(MUTABLE_TEST + "#a_field_that_the_caller_calls_mutable_is_refused")),
          new Ablation(
              "fingerprint of a secret",
              List.of(cut(STREAM + "IdKeyRegister.java", "refuseOtherSecrets(committed);", "")),
              List.of("io.holdfast.stream.OtherSecretTest")));
}
