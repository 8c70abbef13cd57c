package io.holdfast.access;

import io.micronaut.data.annotation.GeneratedValue;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.TypeDef;
import io.micronaut.data.model.DataType;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// One row of `api_key`.
///
/// @param id given by Postgres; null before
/// @param hash SHA-256 of the key, which itself is stored nowhere
/// @param createdBy the caller who made the key
@MappedEntity("api_key")
record ApiKeyRow(
    @Id @GeneratedValue @Nullable Long id,
    byte[] hash,
    String caller,
    @TypeDef(type = DataType.STRING_ARRAY) String[] scopes,
    String createdBy,
    @Nullable Instant revokedAt) {}
