package io.holdfast.access;

import io.holdfast.idempotency.Digest;
import io.micronaut.security.authentication.Authentication;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The owner of an API key or the subject of a JWT, with its scopes. Tokens and rate limits belong
/// to the caller, whichever of its keys it uses. Controllers take it as a parameter.
public final class Caller implements Authentication {
  private static final long serialVersionUID = 1L;

  private final String name;
  private final EnumSet<Scope> scopes;
  private final ArrayList<String> roles = new ArrayList<>();
  private final @Nullable String subject;

  Caller(String name, Set<Scope> scopes) {
    this(name, scopes, null);
  }

  /// @param subject of the JWT; null for an API key, which acts for many requesters
  public Caller(String name, Set<Scope> scopes, @Nullable String subject) {
    this.name = name;
    this.scopes = EnumSet.copyOf(scopes);
    this.subject = subject;
    this.scopes.forEach(scope -> roles.add(scope.word()));
  }

  /// The tilde keeps subjects apart from callers with API keys, whose names have none. A subject is
  /// hashed, because a caller is named in records that last for ever, and a subject may be the name
  /// of a person.
  public static String nameOf(String subject) {
    return "~#" + Digest.hash(subject);
  }

  public String name() {
    return name;
  }

  /// For whom calls without a requester are made: the subject of the JWT, or the owner of the key.
  public String asRequester() {
    return subject == null ? name : subject;
  }

  public boolean may(Scope scope) {
    return scopes.contains(scope);
  }

  /// To whose records lists are limited: its own, or null for an operator or auditor, who sees
  /// those of all callers.
  public @Nullable String limitOfLists() {
    return may(Scope.OPERATE) || may(Scope.AUDIT) ? null : name;
  }

  /// Whether this caller may make and revoke keys of the caller `other`.
  boolean mayManageKeysOf(String other) {
    return may(Scope.ADMIN) || name.equals(other);
  }

  /// Refuses a body with another requester than the subject of the JWT. A missing or malformed
  /// requester is refused later, by the code that reads the body.
  public void refuseOtherRequester(Map<String, @Nullable Object> body) {
    if (subject != null
        && body.get("requester") instanceof String requester
        && !requester.equals(subject)) {
      throw AuthProblems.otherRequester();
    }
  }

  @Override
  public String getName() {
    return name;
  }

  /// The scopes under the name that Micronaut Security has for them.
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
