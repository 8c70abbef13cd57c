package io.holdfast.hold;

import io.holdfast.pool.EndReason;
import io.holdfast.pool.HoldState;
import io.micronaut.core.annotation.Introspected;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What bodies look like, for the description of the API. They are read by `JsonFields` and written
/// by `HoldJson`, which the test that compares both with this description holds to it.
public final class HoldApiSchemas {
  private HoldApiSchemas() {}

  @Introspected
  @Schema(name = "Wish")
  record Place(
      @Schema(description = "whom the hold is for, 1 to 128 bytes") String requester,
      @Schema(description = "all of them or none") @Nullable List<String> items,
      @Schema(description = "instead of items: as many seats side by side")
          @Nullable Integer bestAvailable,
      @Schema(description = "where to look for them") @Nullable String section,
      @Schema(description = "by default the pool's") @Nullable Long leaseSeconds) {}

  @Introspected
  @Schema(name = "Heartbeat")
  record Beat(String requester, long fence) {}

  @Introspected
  @Schema(name = "Release")
  record Release(String requester) {}

  @Introspected
  @Schema(name = "Expire")
  record Expire(@Schema(description = "also before its time") @Nullable Boolean force) {}

  @Introspected
  @Schema(name = "Confirm")
  public record Confirm(
      String requester,
      long fence,
      @Schema(description = "whatever the shop calls this purchase") String orderId,
      @Schema(description = "names the intended effect, which is had once; by default the hold's")
          @Nullable String logicalKey,
      @Schema(description = "where the pool asks for one") @Nullable String nonce,
      @Schema(description = "tells tries of one call apart, and no more")
          @Nullable String attemptId) {}

  @Introspected
  @Schema(name = "Hold")
  public record Hold(
      String holdId,
      String pool,
      List<String> items,
      @Nullable Long quantity,
      String requester,
      HoldState state,
      @Schema(description = "orders all holders of the pool") long fence,
      Instant placedAt,
      @Schema(description = "heartbeats move it") Instant leaseUntil,
      @Schema(description = "nothing moves it") Instant expiresAt,
      @Schema(description = "how often to beat") long heartbeatSeconds,
      @Schema(description = "only of a hold that has ended") @Nullable Instant endedAt,
      @Nullable EndReason endReason,
      @Schema(description = "only of a hold that is CONFIRMED") @Nullable String commitmentId,
      @Nullable Instant committedAt) {}

  @Introspected
  @Schema(name = "Beaten")
  record Beaten(String holdId, Instant leaseUntil, Instant expiresAt) {}

  @Introspected
  @Schema(name = "Holds")
  record Holds(List<Hold> holds) {}

  @Introspected
  @Schema(name = "Operation")
  record Known(
      String token,
      String pool,
      String action,
      Status status,
      @Nullable Result result,
      Instant recordedAt,
      long attempts) {
    enum Status {
      DONE,
      RUNNING
    }

    @Introspected
    @Schema(name = "OperationResult")
    record Result(int status, @Schema(description = "as it was answered") Object body) {}
  }
}
