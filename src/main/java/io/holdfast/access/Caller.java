package io.holdfast.access;

import io.micronaut.security.authentication.Authentication;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Whom a key belongs to, or for whom a JWT was made, and what may be done with it. Tokens and
/// limits are the caller's own, whatever key it uses. A controller that has a parameter of this
/// type is handed the one who calls.
public final class Caller implements Authentication {
  private static final long serialVersionUID = 1L;

  private final String name;
  private final EnumSet<Scope> scopes;
  private final ArrayList<String> roles = new ArrayList<>();
  private final @Nullable String subject;

  Caller(String name, Set<Scope> scopes) {
    this(name, scopes, null);
  }

  /// @param subject of the JWT; null for a key, which speaks for many requesters
  public Caller(String name, Set<Scope> scopes, @Nullable String subject) {
    this.name = name;
    this.scopes = EnumSet.copyOf(scopes);
    this.subject = subject;
    this.scopes.forEach(scope -> roles.add(scope.word()));
  }

  public String name() {
    return name;
  }

  public boolean may(Scope scope) {
    return scopes.contains(scope);
  }

  /// Ends the request if the one who calls speaks for one person only, and the body is about
  /// another. What is missing or malformed is left to whoever reads the body.
  public void refuseOtherRequester(Map<String, @Nullable Object> body) {
    if (subject != null
        && body.get("requester") instanceof String requester
        && !requester.equals(subject)) {
      throw AuthProblems.notYours();
    }
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
