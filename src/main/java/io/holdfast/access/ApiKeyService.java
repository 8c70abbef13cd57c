package io.holdfast.access;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.http.OneTimeSecret;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.web.InvalidField;
import io.holdfast.web.PageRequest;
import io.holdfast.web.Problem;
import io.holdfast.web.Timestamp;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.inject.Singleton;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Creates and revokes API keys, once for each token, and refreshes the cache of this instance.
@Singleton
final class ApiKeyService {
  private static final Logger LOG = LoggerFactory.getLogger(ApiKeyService.class);

  /// The stored answer has a salt in the place of the key, see `OneTimeSecret`.
  static final OneTimeSecret KEY = new OneTimeSecret("key", "hf_");

  private final IdempotencyStore results;
  private final ApiKeyTable table;
  private final ApiKeyCache cache;
  private final IdempotencyHttp http;
  private final SecureRandom random;

  ApiKeyService(
      IdempotencyStore results,
      ApiKeyTable table,
      ApiKeyCache cache,
      IdempotencyHttp http,
      SecureRandom random) {
    this.results = results;
    this.table = table;
    this.cache = cache;
    this.http = http;
    this.random = random;
  }

  IdempotentResult create(IdempotentRouteCall call, Map<String, @Nullable Object> body) {
    var result = results.once(call, _ -> insert(call, body));
    refreshCache();
    return result;
  }

  IdempotentResult revoke(IdempotentRouteCall call, Caller maker, String id) {
    var number = number(id);
    var result = results.once(call, _ -> markRevoked(maker, id, number));
    cache.remove(number, maker); // also if the commit is unknown: a refresh brings a valid key back
    refreshCache();
    return result;
  }

  /// @param owner of the keys; null for all that the caller may see
  HttpResponse<?> page(
      String caller, @Nullable String owner, @Nullable Boolean revoked, PageRequest page) {
    if (owner != null && !NewApiKey.isCaller(owner)) {
      throw InvalidField.of("caller", "is not the name of a caller");
    }
    var found = table.page(caller, owner, revoked, page.afterNumber(), page.limit());
    var response = HttpResponse.ok(new Listed(found.stream().map(Key::of).toList()));
    if (found.size() == page.limit()) {
      page.next(Long.toString(found.getLast().id()))
          .with("caller", owner)
          .with("revoked", revoked == null ? null : revoked.toString())
          .linkTo("/v1/keys", response);
    }
    return response;
  }

  private Answer insert(IdempotentRouteCall call, Map<String, @Nullable Object> body) {
    NewApiKey key;
    try {
      key = NewApiKey.of(body);
    } catch (InvalidField e) {
      return http.stored(e.problem());
    }
    var salt = OneTimeSecret.salt(random);
    var hash = ApiKeyHash.of(KEY.secret(salt, call.token())).bytes();
    var scopes = key.scopeNames();
    var row =
        new ApiKeyRow(null, hash, key.caller(), scopes.toArray(String[]::new), call.caller(), null);
    var id = Objects.requireNonNull(table.save(row).id());
    LOG.info("{} created key {} for {} with {}", call.caller(), id, key.caller(), scopes);
    return http.stored(
        HttpStatus.CREATED, new Created(Long.toString(id), salt, key.caller(), scopes));
  }

  /// A key of another caller is not found, unless the maker is an admin.
  private Answer markRevoked(Caller maker, String id, long number) {
    if (table.revoke(number, maker.may(Scope.ADMIN), maker.name()) == 0) {
      return http.stored(
          Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such key."));
    }
    return http.stored(HttpStatus.OK, new Revoked(id, true));
  }

  private void refreshCache() {
    try {
      cache.refresh();
    } catch (PostgresUnavailable e) {
      LOG.warn("Postgres was lost after a change of keys; the next refresh will read it", e);
    }
  }

  /// No key has the number -1.
  private static long number(String id) {
    try {
      return Long.parseLong(id);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /// The stored outcome has the salt of the key in its place.
  ///
  /// @param key shown only in this response and its replays
  @Serdeable
  @Schema(name = "ApiKeyCreated", description = "A new API key.")
  record Created(String id, String key, String caller, List<String> scopes) {}

  /// An API key in a list; the key itself is stored nowhere.
  ///
  /// @param revokedAt null for a key that is in force
  @Serdeable
  @JsonInclude(JsonInclude.Include.ALWAYS)
  @Schema(name = "ApiKey")
  record Key(
      String id,
      String caller,
      List<String> scopes,
      String createdBy,
      String createdAt,
      @Nullable String revokedAt) {

    static Key of(ApiKeyTable.Summary row) {
      return new Key(
          Long.toString(row.id()),
          row.caller(),
          row.scopes(),
          row.createdBy(),
          Timestamp.of(row.createdAt()),
          row.revokedAt() == null ? null : Timestamp.of(row.revokedAt()));
    }
  }

  @Serdeable
  @Schema(name = "ApiKeys")
  record Listed(List<Key> keys) {}

  @Serdeable
  @Schema(name = "ApiKeyRevoked")
  record Revoked(String id, boolean revoked) {}
}
