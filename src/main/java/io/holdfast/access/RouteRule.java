package io.holdfast.access;

import io.micronaut.security.rules.SecurityRule;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// Who may use a route: everybody, whoever has one of some scopes, or nobody.
record RouteRule(boolean isOpen, Set<Scope> anyOf) {
  static final RouteRule OPEN = new RouteRule(true, Set.of());
  static final RouteRule SHUT = new RouteRule(false, Set.of());

  private static final Map<String, RouteRule> OF_ONE_WORD = ofOneWord();

  /// @param words of `@Secured`; one that is not known opens nothing
  static RouteRule of(String[] words) {
    if (words.length == 1) {
      return OF_ONE_WORD.getOrDefault(words[0], SHUT); // every request comes this way
    }
    var rules = Arrays.stream(words).map(word -> OF_ONE_WORD.getOrDefault(word, SHUT)).toList();
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

  /// What a key needs, in words.
  String needs() {
    return anyOf.stream().map(Scope::word).collect(Collectors.joining(" or "));
  }

  private static Map<String, RouteRule> ofOneWord() {
    var rules = new HashMap<String, RouteRule>();
    for (var scope : Scope.values()) {
      rules.put(scope.word(), new RouteRule(false, EnumSet.of(scope)));
    }
    rules.put(SecurityRule.IS_ANONYMOUS, OPEN);
    rules.put(SecurityRule.DENY_ALL, SHUT);
    rules.put(SecurityRule.IS_AUTHENTICATED, new RouteRule(false, EnumSet.allOf(Scope.class)));
    return Map.copyOf(rules);
  }
}
