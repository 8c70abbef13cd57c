package io.holdfast.access.jwt;

import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSetCacheRefreshEvaluator;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.jwk.source.JWKSetUnavailableException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.jwk.source.RateLimitReachedException;
import com.nimbusds.jose.jwk.source.URLBasedJWKSetSource;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import io.holdfast.idempotency.guard.DuplicateGuard;
import io.holdfast.idempotency.guard.GuardResult;
import io.holdfast.runtime.StartFailure;
import io.holdfast.runtime.StartupTask;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The public keys that JWTs are signed with, cached by Nimbus. The set is read at the start, when
/// a JWT names a key that is not in it, and in the background once it is five minutes old. One
/// thread reads at a time, not more often than the settings allow. If reading fails, the cached set
/// remains valid for a day.
@Singleton
final class SigningKeys implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(SigningKeys.class);

  private static final Duration REFRESH_AFTER = Duration.ofMinutes(5);
  private static final Duration VALID_FOR = Duration.ofDays(1);
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration READ_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration WAIT_FOR_OTHER_READER = Duration.ofSeconds(15);
  private static final int BYTES_MAX = 512 * 1024;
  private static final JWKMatcher ANY_KEY = new JWKMatcher.Builder().build();

  private final JwtSettings settings;
  private final DuplicateGuard recentReads;
  private final ExecutorService executor;
  private final Optional<JWKSource<SecurityContext>> keys;

  private volatile boolean lastReadFailed;

  SigningKeys(
      JwtSettings settings,
      @Named(JwtSettings.READS_GUARD) DuplicateGuard recentReads,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.settings = settings;
    this.recentReads = recentReads;
    this.executor = executor;
    this.keys = settings.jwksUrl().map(this::cached);
  }

  /// Whether JWTs are accepted at all.
  boolean areConfigured() {
    return keys.isPresent();
  }

  /// A file must be readable at the start. A URL may answer later.
  @Override
  public void atStart() {
    if (settings.isJwksFile()) {
      try {
        find(ANY_KEY);
      } catch (KeySourceException e) {
        throw new StartFailure(
            "The keys of JWTs cannot be read from %s (%s); mend HOLDFAST_JWKS."
                .formatted(settings.jwks().orElseThrow(), e.getMessage()),
            e);
      }
    } else if (areConfigured()) {
      executor.execute(this::warmUp);
    }
  }

  /// The keys that may have signed the JWT. Empty if the set has no such key. May block.
  ///
  /// @throws KeySourceException if the key is not cached and the set cannot be read now
  List<JWK> find(JWSHeader header) throws KeySourceException {
    return find(JWKMatcher.forJWSHeader(header));
  }

  private List<JWK> find(JWKMatcher matcher) throws KeySourceException {
    try {
      return keys.orElseThrow().get(new JWKSelector(matcher), null);
    } catch (RateLimitReachedException e) {
      if (lastReadFailed) {
        throw e;
      }
      return List.of(); // the set was read a moment ago, and the key was not in it
    }
  }

  private void warmUp() {
    try {
      find(ANY_KEY);
    } catch (KeySourceException e) {
      LOG.debug("The first JWT will cause the next attempt to read the keys", e);
    }
  }

  /// The cache lives for as long as an outage is tolerated, so it needs no second cache for
  /// outages. Refresh-ahead starts after five minutes. No request waits for it as long as its key
  /// is cached.
  private JWKSource<SecurityContext> cached(URL url) {
    var refreshAfter = max(REFRESH_AFTER, settings.look());
    return JWKSourceBuilder.create(new RateLimited(source(url)))
        .cache(VALID_FOR.toMillis(), WAIT_FOR_OTHER_READER.toMillis())
        .refreshAheadCache(
            VALID_FOR.minus(refreshAfter).toMillis(), null, executor, false, null, false)
        .rateLimited(false)
        .build();
  }

  private static Duration max(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private static JWKSetSource<SecurityContext> source(URL url) {
    var retriever = new WithoutRedirects();
    retriever.setHeaders(Map.of("Accept", List.of("application/jwk-set+json, application/json")));
    return new URLBasedJWKSetSource<>(url, retriever);
  }

  /// Lets one read pass in `HOLDFAST_JWKS_LOOK`. The limit of Nimbus would let two pass. The cache
  /// calls it from one thread at a time.
  private final class RateLimited implements JWKSetSource<SecurityContext> {
    private final JWKSetSource<SecurityContext> source;

    RateLimited(JWKSetSource<SecurityContext> source) {
      this.source = source;
    }

    @Override
    public JWKSet getJWKSet(
        JWKSetCacheRefreshEvaluator evaluator, long now, SecurityContext context)
        throws KeySourceException {
      var from = settings.jwks().orElseThrow();
      if (recentReads.check(from) == GuardResult.SEEN) {
        throw new RateLimitReachedException();
      }
      recentReads.record(from);
      try {
        var read = source.getJWKSet(evaluator, now, context).toPublicJWKSet();
        lastReadFailed = false;
        return read;
      } catch (KeySourceException | IllegalArgumentException | IllegalStateException e) {
        lastReadFailed = true;
        LOG.warn("The keys of JWTs cannot be read; cached keys remain valid: {}", e.getMessage());
        throw new JWKSetUnavailableException(e.getMessage(), e);
      }
    }

    @Override
    public void close() throws IOException {
      source.close();
    }
  }

  /// A redirect could lead to a server that the operator has not chosen.
  private static final class WithoutRedirects extends DefaultResourceRetriever {
    WithoutRedirects() {
      super((int) CONNECT_TIMEOUT.toMillis(), (int) READ_TIMEOUT.toMillis(), BYTES_MAX);
    }

    @Override
    protected HttpURLConnection openHTTPConnection(URL url) throws IOException {
      var connection = super.openHTTPConnection(url);
      connection.setInstanceFollowRedirects(false);
      return connection;
    }
  }
}
