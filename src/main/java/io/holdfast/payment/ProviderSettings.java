package io.holdfast.payment;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import io.holdfast.payment.notice.NoticeSecret;
import io.holdfast.payment.simulator.Simulator;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The provider that is called over HTTP.
///
/// @param url the prefix of its routes
/// @param name the word in `payment.provider`
/// @param key sent as `Authorization: Bearer <key>`
/// @param methods that it knows
/// @param secret by which its notices are signed
public record ProviderSettings(
    URI url, String name, String key, Set<String> methods, NoticeSecret secret) {
  private static final String URL = "holdfast.payment-url";
  private static final String NAME = "holdfast.payment-provider";
  private static final String KEY = "holdfast.payment-key";
  private static final String METHODS = "holdfast.payment-methods";
  private static final String SECRET = "holdfast.payment-secret";
  private static final List<String> OTHERS = List.of(NAME, KEY, METHODS, SECRET);

  private static final Pattern WORD = Pattern.compile("[A-Za-z0-9._-]{1,64}");
  private static final Pattern VISIBLE = Pattern.compile("[!-~]{1,1024}");
  private static final int METHODS_MAX = 100;

  public ProviderSettings {
    requireAddress(url);
    if (!WORD.matcher(name).matches() || name.equals(Simulator.PROVIDER)) {
      var rule = "must be 1 to 64 letters, digits, dots, dashes or underscores, and not simulator";
      throw new InvalidSetting(NAME, rule, "something else");
    }
    if (!VISIBLE.matcher(key).matches()) {
      var rule = "must have 1 to 1024 visible ASCII characters, because it travels in a header";
      throw new InvalidSetting(KEY, rule, "something else");
    }
    var areWords = methods.stream().allMatch(method -> WORD.matcher(method).matches());
    if (methods.isEmpty() || methods.size() > METHODS_MAX || !areWords) {
      throw new InvalidSetting(METHODS, "must be 1 to 100 words, divided by commas", "not");
    }
  }

  /// Empty without an address; the other settings are refused then.
  static Optional<ProviderSettings> of(Settings settings) {
    var url = settings.text(URL);
    if (url.isEmpty()) {
      refuseOrphans(settings);
      return Optional.empty();
    }
    return Optional.of(
        new ProviderSettings(
            address(url.get().strip()),
            settings.text(NAME).orElse("http"),
            needed(settings, KEY),
            words(needed(settings, METHODS)),
            secret(needed(settings, SECRET))));
  }

  private static void refuseOrphans(Settings settings) {
    for (var name : OTHERS) {
      if (settings.text(name).isPresent()) {
        throw new InvalidSetting(name, "needs holdfast.payment-url as well", "set without it");
      }
    }
  }

  private static String needed(Settings settings, String name) {
    return settings
        .text(name)
        .map(String::strip)
        .orElseThrow(
            () -> new InvalidSetting(name, "is needed by holdfast.payment-url", "not set"));
  }

  private static Set<String> words(String list) {
    return Set.copyOf(Stream.of(list.split(",", -1)).map(String::strip).distinct().toList());
  }

  /// The message must not contain the secret.
  private static NoticeSecret secret(String text) {
    try {
      return NoticeSecret.of(text);
    } catch (IllegalArgumentException e) {
      var rule = "must be whsec_ and 24 to 64 bytes in Base64";
      throw new InvalidSetting(SECRET, rule, "something else");
    }
  }

  private static URI address(String text) {
    try {
      return new URI(text.replaceFirst("/+$", ""));
    } catch (URISyntaxException e) {
      throw wrongAddress();
    }
  }

  private static void requireAddress(URI url) {
    var isWeb = "https".equals(url.getScheme()) || "http".equals(url.getScheme());
    var hasMore =
        url.getRawUserInfo() != null || url.getRawQuery() != null || url.getRawFragment() != null;
    if (!isWeb || url.getHost() == null || hasMore) {
      throw wrongAddress();
    }
  }

  /// The message must not contain the address, which may hold a password.
  private static InvalidSetting wrongAddress() {
    var rule = "must be https://host/path or http://host/path, without user, query or fragment";
    return new InvalidSetting(URL, rule, "something else");
  }
}
