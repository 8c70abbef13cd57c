package io.holdfast.testing;

import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/// A client that asks again, with the same token, for as long as it is told *not now*, or nothing
/// because the connection is lost.
public final class Patient {
  public static final Duration PATIENCE = Duration.ofSeconds(60);

  private Patient() {}

  public static HttpResponse<String> decided(Supplier<HttpResponse<String>> call) {
    var last = new AtomicReference<HttpResponse<String>>();
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
    return last.get();
  }
}
