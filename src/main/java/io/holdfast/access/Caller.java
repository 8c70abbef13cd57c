package io.holdfast.access;

import io.micronaut.security.authentication.Authentication;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Whom a key belongs to, and what that key may do. Tokens and limits are the caller's own,
/// whatever key it uses. A controller that has a parameter of this type is handed the one who
/// calls.
public final class Caller implements Authentication {
  private static final long serialVersionUID = 1L;

  private final String name;
  private final EnumSet<Scope> scopes;
  private final ArrayList<String> roles = new ArrayList<>();

  Caller(String name, Set<Scope> scopes) {
    this.name = name;
    this.scopes = EnumSet.copyOf(scopes);
    this.scopes.forEach(scope -> roles.add(scope.word()));
  }

  public String name() {
    return name;
  }

  public boolean may(Scope scope) {
    return scopes.contains(scope);
  }

  @Override
  public String getName() {
    return name;
  }

  /// The scopes, as Micronaut Security knows them.
  @Override
  public Collection<String> getRoles() {
    return List.copyOf(roles);
  }

  @Override
  public Map<String, Object> getAttributes() {
    return Map.of("roles", getRoles());
  }

  @Override
  public String toString() {
    return name + " " + roles;
  }
}
