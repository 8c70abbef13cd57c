package io.holdfast.hold;

import io.holdfast.pool.EndReason;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldState;
import io.holdfast.web.BodyReader;
import io.holdfast.web.JsonFields;
import io.micronaut.core.annotation.Introspected;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The bodies of the hold routes except that of `PlaceHoldBody`. The requests are read as described
/// here. The responses are written by `HoldJson` and `OperationJson` without these records, and a
/// test compares the two.
public final class HoldApiSchemas {
  private HoldApiSchemas() {}

  @Introspected
  @Schema(name = "Heartbeat")
  record Heartbeat(
      @Size(min = 1, max = 128) @Schema(description = "The requester of the hold.")
          String requester,
      @Min(1) @Max(Fence.MAX) @Schema(description = "The fence of the hold.") long fence) {
    private static final BodyReader<Heartbeat> READER = BodyReader.of(Heartbeat.class);

    static Heartbeat read(JsonFields fields) {
      return READER.read(fields);
    }
  }

  @Introspected
  @Schema(name = "Release")
  record Release(
      @Size(min = 1, max = 128) @Schema(description = "The requester of the hold.")
          String requester) {
    private static final BodyReader<Release> READER = BodyReader.of(Release.class);

    static Release read(JsonFields fields) {
      return READER.read(fields);
    }
  }

  @Introspected
  @Schema(name = "Expire")
  record Expire(
      @Schema(description = "Ends the hold also before its window has elapsed. Default: false.")
          @Nullable Boolean force) {
    private static final BodyReader<Expire> READER = BodyReader.of(Expire.class);

    static Expire read(JsonFields fields) {
      return READER.read(fields);
    }

    boolean isForced() {
      return Boolean.TRUE.equals(force);
    }
  }

  @Introspected
  @Schema(name = "Hold")
  public record Hold(
      String holdId,
      String pool,
      List<String> items,
      @Nullable Long quantity,
      @Schema(description = "Only of a bid in an auction.") @Nullable Long amountCents,
      String requester,
      @Schema(description = "Only if the hold was placed with metadata.")
          @Nullable Map<String, String> metadata,
      HoldState state,
      @Schema(description = "Orders all holders of the pool: a later holder has a higher fence.")
          long fence,
      Instant placedAt,
      @Schema(description = "The hold expires then unless a heartbeat moves it.")
          Instant leaseUntil,
      @Schema(description = "The hold expires then in any case; heartbeats do not move it.")
          Instant expiresAt,
      @Schema(description = "How often to send a heartbeat.") long heartbeatSeconds,
      @Schema(description = "Only if the hold has ended.") @Nullable Instant endedAt,
      @Nullable EndReason endReason,
      @Schema(description = "Only if the hold is CONFIRMED.") @Nullable String commitmentId,
      @Nullable Instant committedAt) {}

  @Introspected
  @Schema(name = "HeartbeatResult")
  record HeartbeatResult(String holdId, Instant leaseUntil, Instant expiresAt) {}

  @Introspected
  @Schema(name = "Holds")
  record Holds(List<Hold> holds) {}

  @Introspected
  @Schema(name = "Operation")
  record Operation(
      String token,
      @Schema(description = "The pool that the call belongs to; null if to none.")
          @Nullable String pool,
      @Schema(description = "Such as place_hold, confirm, create_checkout or create_pool.")
          String action,
      Status status,
      @Nullable Result result,
      Instant recordedAt,
      @Schema(description = "How often the call was sent: its executions and its replays.")
          long attempts) {
    @Schema(name = "OperationStatus")
    enum Status {
      DONE,
      RUNNING
    }

    @Introspected
    @Schema(name = "OperationResult")
    record Result(
        int status,
        @Schema(
                types = {"object", "null"},
                description =
                    "The body of the original response; null if it has a secret, which only the"
                        + " request itself gets. Of a checkout: its checkoutId.")
            Object body) {}
  }
}
