-- Access: API keys, and authorizations for one operation on one hold. Only hashes of keys and
-- nonces are stored, so a reader of these tables cannot use them. A key is revoked and never
-- deleted, so the records can always name the caller of a request.
--
-- Locks: creates new tables only.

CREATE TABLE api_key (
    id         bigint      GENERATED ALWAYS AS IDENTITY,
    hash       bytea       NOT NULL,
    caller     text        NOT NULL,
    scopes     text[]      NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by text        NOT NULL,
    revoked_at timestamptz,
    CONSTRAINT api_key_key PRIMARY KEY (id),
    CONSTRAINT api_key_once UNIQUE (hash),
    CONSTRAINT api_key_hash_is_sha256 CHECK (length(hash) = 32),
    CONSTRAINT api_key_caller_form CHECK (caller ~ '^[A-Za-z0-9._-]{1,64}$'),
    CONSTRAINT api_key_scopes_known CHECK (scopes <@ ARRAY['hold', 'commit', 'operate', 'audit']),
    CONSTRAINT api_key_has_scopes CHECK (cardinality(scopes) > 0),
    CONSTRAINT api_key_revoked_after_created CHECK (revoked_at >= created_at)
);

GRANT SELECT, INSERT ON api_key TO holdfast_service;
GRANT UPDATE (revoked_at) ON api_key TO holdfast_service;

-- Every column but the hash.
GRANT SELECT (id, caller, scopes, created_at, created_by, revoked_at) ON api_key
    TO holdfast_auditor;

-- An authorization permits one operation on one hold within a period, once.
CREATE TABLE authorization_nonce (
    pool        text        NOT NULL,
    nonce_hash  bytea       NOT NULL,
    hold_id     text        NOT NULL,
    operation   text        NOT NULL,
    not_before  timestamptz NOT NULL,
    not_after   timestamptz NOT NULL,
    created_by  text        NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    consumed_at timestamptz,
    consumed_by text, -- the logical key that consumed the nonce
    CONSTRAINT authorization_nonce_key PRIMARY KEY (pool, nonce_hash),
    CONSTRAINT authorization_nonce_is_sha256 CHECK (length(nonce_hash) = 32),
    CONSTRAINT authorization_nonce_operation_known CHECK (operation IN ('confirm', 'compensate')),
    CONSTRAINT authorization_nonce_window_positive CHECK (not_before < not_after),
    CONSTRAINT authorization_nonce_used_in_time
        CHECK (consumed_at >= not_before AND consumed_at < not_after),
    CONSTRAINT authorization_nonce_used_for CHECK ((consumed_at IS NULL) = (consumed_by IS NULL))
);

CREATE FUNCTION authorization_nonce_is_used_once() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'a nonce stays as it was made; it can be used, once'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'authorization_nonce_is_used_once';
END
$$;

CREATE TRIGGER authorization_nonce_is_used_once
    BEFORE UPDATE ON authorization_nonce
    FOR EACH ROW WHEN (
        OLD.consumed_at IS NOT NULL OR NEW.consumed_at IS NULL
        OR (OLD.pool, OLD.nonce_hash, OLD.hold_id, OLD.operation, OLD.not_before, OLD.not_after,
            OLD.created_by, OLD.created_at)
           IS DISTINCT FROM
           (NEW.pool, NEW.nonce_hash, NEW.hold_id, NEW.operation, NEW.not_before, NEW.not_after,
            NEW.created_by, NEW.created_at))
    EXECUTE FUNCTION authorization_nonce_is_used_once();

CREATE TRIGGER authorization_nonce_is_for_ever
    BEFORE DELETE OR TRUNCATE ON authorization_nonce
    FOR EACH STATEMENT EXECUTE FUNCTION authorization_nonce_is_used_once();

GRANT SELECT, INSERT ON authorization_nonce TO holdfast_service;
GRANT UPDATE (consumed_at, consumed_by) ON authorization_nonce TO holdfast_service;
GRANT SELECT ON authorization_nonce TO holdfast_auditor;
