package io.holdfast.stream;

import io.holdfast.events.EventJson;
import io.holdfast.web.BodyReader;
import io.holdfast.web.JsonFields;
import io.holdfast.web.MayRepeat;
import io.micronaut.core.annotation.Introspected;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The body of an append to the stream of a business key.
@Introspected
@Schema(name = "AppendToStream")
record AppendBody(
    @Pattern(
            regexp = "^" + DeterministicStreamIds.ENTITY_TYPE + "$",
            message = "has to be a letter and at most 63 more letters and digits")
        @Schema(description = "The type of the entity, which is also part of the stream id.")
        String entityType,
    @Size(min = 1, max = 8)
        @MayRepeat
        @Schema(
            description =
                "The value that is unique, or several that are unique together. Their order"
                    + " counts. They are compared byte by byte.")
        List<@Size(min = 1, max = 256) String> businessKey,
    @Size(min = 1, max = 128) @Schema(description = "The name of the field that is unique.")
        String field,
    @Schema(description = "Whether the value of the field can change. Then nothing is created.")
        @Nullable Boolean mutable,
    @Min(0)
        @Max(VERSION_MAX)
        @Schema(
            description =
                "The version that the stream has to have. 0 creates it: it must not exist.")
        long expectedVersion,
    @Size(min = 1, max = 100) @Schema(description = "Are appended in this order, all or none.")
        List<NewStreamEvent> events) {
  /// The largest range of integers that JavaScript represents exactly.
  private static final long VERSION_MAX = (1L << 53) - 1;

  private static final BodyReader<AppendBody> READER = BodyReader.of(AppendBody.class);

  static AppendBody read(JsonFields fields) {
    return READER.read(fields);
  }

  boolean isCreate() {
    return expectedVersion == 0;
  }

  List<Append.Event> eventRows() {
    return events.stream()
        .map(event -> new Append.Event(event.type, EventJson.write(event.data)))
        .toList();
  }

  @Introspected
  @Schema(name = "NewStreamEvent")
  record NewStreamEvent(
      @Size(min = 1, max = 128) @Schema(description = "What happened, such as `UserCreated`.")
          String type,
      @Schema(description = "Any JSON object.") Map<String, @Nullable Object> data) {}
}
