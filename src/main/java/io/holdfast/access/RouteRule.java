package io.holdfast.access;

import io.micronaut.security.rules.SecurityRule;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// Who may use a route: everybody, callers with one of some scopes, or nobody.
record RouteRule(boolean isOpen, Set<Scope> anyOf) {
  static final RouteRule OPEN = new RouteRule(true, Set.of());
  static final RouteRule CLOSED = new RouteRule(false, Set.of());

  private static final Map<String, RouteRule> BY_WORD = byWord();

  /// @param words of `@Secured`; an unknown one admits nobody
  static RouteRule of(String[] words) {
    if (words.length == 1) {
      return BY_WORD.getOrDefault(words[0], CLOSED); // no allocation: every request passes here
    }
    var rules = Arrays.stream(words).map(word -> BY_WORD.getOrDefault(word, CLOSED)).toList();
    var scopes = EnumSet.noneOf(Scope.class);
    rules.forEach(rule -> scopes.addAll(rule.anyOf));
    return new RouteRule(rules.contains(OPEN), scopes);
  }

  boolean admits(Caller caller) {
    for (var scope : anyOf) {
      if (caller.may(scope)) {
        return true;
      }
    }
    return isOpen;
  }

  String scopeNames() {
    return anyOf.stream().map(Scope::word).collect(Collectors.joining(" or "));
  }

  private static Map<String, RouteRule> byWord() {
    var rules = new HashMap<String, RouteRule>();
    for (var scope : Scope.values()) {
      rules.put(scope.word(), new RouteRule(false, EnumSet.of(scope)));
    }
    rules.put(SecurityRule.IS_ANONYMOUS, OPEN);
    rules.put(SecurityRule.DENY_ALL, CLOSED);
    rules.put(SecurityRule.IS_AUTHENTICATED, new RouteRule(false, EnumSet.allOf(Scope.class)));
    return Map.copyOf(rules);
  }
}
