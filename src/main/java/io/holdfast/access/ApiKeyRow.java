package io.holdfast.access;

import java.util.List;

/// A key that is not revoked: its hash, whose it is, and what it may do.
public record ApiKeyRow(long id, byte[] hash, String caller, List<String> scopes) {}
