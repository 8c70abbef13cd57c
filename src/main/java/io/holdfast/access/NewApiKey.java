package io.holdfast.access;

import io.holdfast.web.BodyReader;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.micronaut.core.annotation.Introspected;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The body of a request for a new API key.
@Introspected
@Schema(name = "NewApiKey")
record NewApiKey(
    @Pattern(regexp = CALLER, message = "has to have 1 to 64 of A-Z a-z 0-9 . _ -")
        @Schema(
            description =
                "The caller that the key authenticates: the maker's own, or with the scope `admin`"
                    + " any.")
        String caller,
    @Size(min = 1, max = 5)
        @Schema(description = "What the key allows: `hold`, `commit`, `operate`, `audit`, `admin`.")
        List<String> scopes) {
  private static final String CALLER = "^[A-Za-z0-9._-]{1,64}$";
  private static final BodyReader<NewApiKey> READER = BodyReader.of(NewApiKey.class);

  /// Refuses with `InvalidField` a body that is not allowed.
  static NewApiKey of(Map<String, @Nullable Object> body) {
    var key = READER.read(JsonFields.of(body));
    if (key.scopes.stream().anyMatch(word -> Scope.of(word).isEmpty())) {
      throw InvalidField.of("scopes", "has to list hold, commit, operate, audit or admin only");
    }
    return key;
  }

  /// Whether a caller with API keys can have this name.
  static boolean isCaller(String name) {
    return name.matches(CALLER);
  }

  /// A requested scope that `creator` does not have itself, or null.
  @Nullable Scope notHeldBy(Caller creator) {
    for (var scope : Scope.values()) {
      if (scopes.contains(scope.word()) && !creator.may(scope)) {
        return scope;
      }
    }
    return null;
  }

  /// The scopes in the order of `Scope`, whatever their order in the body.
  List<String> scopeNames() {
    return Arrays.stream(Scope.values()).map(Scope::word).filter(scopes::contains).toList();
  }
}
