package io.holdfast.web;

import io.micronaut.core.propagation.ThreadPropagatedContextElement;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/// The trace of a request, which whatever is logged on its way is marked with, on every thread. It
/// moves one entry where Micronaut's own element copies all of them, several times a request.
record TraceContext(TraceId id) implements ThreadPropagatedContextElement<@Nullable String> {
  private static final String ENTRY = "traceId";

  @Override
  public @Nullable String updateThreadContext() {
    var before = MDC.get(ENTRY);
    MDC.put(ENTRY, id.value());
    return before;
  }

  @Override
  public void restoreThreadContext(@Nullable String before) {
    if (before == null) {
      MDC.remove(ENTRY);
    } else {
      MDC.put(ENTRY, before);
    }
  }
}
