package io.holdfast.access;

import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The body of a request for a new key.
record NewApiKey(String caller, Set<Scope> scopes) {
  private static final Pattern CALLER = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  /// @throws InvalidField if a field is missing or malformed
  static NewApiKey of(Map<String, @Nullable Object> body) {
    var fields = JsonFields.of(body);
    var caller = fields.text("caller");
    if (!CALLER.matcher(caller).matches()) {
      throw fields.invalid("caller", "has to have 1 to 64 of A-Z a-z 0-9 . _ -");
    }
    var scopes = EnumSet.noneOf(Scope.class);
    for (var word : fields.texts("scopes", Scope.values().length)) {
      scopes.add(
          Scope.of(word)
              .orElseThrow(
                  () -> fields.invalid("scopes", "knows hold, commit, operate and audit only")));
    }
    fields.refuseOthers();
    return new NewApiKey(caller, scopes);
  }

  /// A requested scope that `creator` does not have itself, or null.
  @Nullable Scope notHeldBy(Caller creator) {
    for (var scope : scopes) {
      if (!creator.may(scope)) {
        return scope;
      }
    }
    return null;
  }

  List<String> scopeNames() {
    return scopes.stream().map(Scope::word).toList();
  }
}
