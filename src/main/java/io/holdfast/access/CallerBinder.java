package io.holdfast.access;

import io.micronaut.core.convert.ArgumentConversionContext;
import io.micronaut.core.type.Argument;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.bind.binders.TypedRequestArgumentBinder;
import io.micronaut.security.filters.SecurityFilter;
import jakarta.inject.Singleton;

/// Binds parameters of the type `Caller` in controllers.
@Singleton
final class CallerBinder implements TypedRequestArgumentBinder<Caller> {
  private static final Argument<Caller> TYPE = Argument.of(Caller.class);

  @Override
  public Argument<Caller> argumentType() {
    return TYPE;
  }

  @Override
  public BindingResult<Caller> bind(
      ArgumentConversionContext<Caller> context, HttpRequest<?> request) {
    return () -> request.getAttribute(SecurityFilter.AUTHENTICATION, Caller.class);
  }
}
