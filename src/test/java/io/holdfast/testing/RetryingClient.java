package io.holdfast.testing;

import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/// A client that retries with the same token while the service is unavailable or the connection is
/// lost.
public final class RetryingClient {
  public static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final int CALM = 10;

  private RetryingClient() {}

  /// Waits until the service works again on all its connections, which recover one after the other.
  public static void calm(Supplier<HttpResponse<String>> call) {
    Await.until(
        PATIENCE, () -> IntStream.range(0, CALM).allMatch(_ -> call.get().statusCode() != 503));
  }

  public static HttpResponse<String> decided(Supplier<HttpResponse<String>> call) {
    var last = new AtomicReference<HttpResponse<String>>();
    try {
      Await.until(
          PATIENCE,
          () -> {
            try {
              last.set(call.get());
              return last.get().statusCode() != 503;
            } catch (UncheckedIOException e) {
              return false;
            }
          });
    } catch (AssertionError e) {
      var said = last.get() == null ? "nothing" : last.get().body();
      throw new AssertionError("nothing was decided; the last answer was " + said, e);
    }
    return last.get();
  }
}
