package io.holdfast.app;

import io.holdfast.config.InvalidSetting;
import io.holdfast.runtime.StartFailure;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.util.Optional;
import java.util.stream.Stream;

/// Finds the one sentence that explains a failed start among the causes of its exception.
final class StartupErrors {
  private static final int CAUSES_MAX = 50;

  private StartupErrors() {}

  static StartFailure inOneSentence(RuntimeException e) {
    return causes(e)
        .flatMap(cause -> known(cause).stream())
        .findFirst()
        .orElseGet(() -> StartFailure.unforeseen(e));
  }

  private static Optional<StartFailure> known(Throwable cause) {
    return switch (cause) {
      case StartFailure failure -> Optional.of(failure);
      case InvalidSetting wrong -> Optional.of(new StartFailure(wrong.getMessage(), wrong));
      case UncheckedIOException broken ->
          Optional.of(
              new StartFailure(
                  "A file or process operation failed: %s (%s)."
                      .formatted(broken.getMessage(), broken.getCause()),
                  broken));
      case BindException taken ->
          Optional.of(
              new StartFailure(
                  "The port is in use by another program (%s); set HOLDFAST_PORT to a free one."
                      .formatted(taken.getMessage()),
                  taken));
      default -> Optional.empty();
    };
  }

  private static Stream<Throwable> causes(Throwable e) {
    return Stream.iterate(e, cause -> cause != null, Throwable::getCause).limit(CAUSES_MAX);
  }
}
