-- Who may call, and what was answered to whom. A key itself is never stored: whoever reads the table
-- api_key learns whose keys there are, and cannot use one. A key is revoked, never deleted, so that
-- the records can always name whose call it was.
--
-- request_result is for routes without a pool what token_result is for holds: the first answer to a
-- token, for the idempotency window. The primary key makes equal tokens wait for one another, also
-- on two instances. Tokens are kept as hashes, since the answer to create_key can be made again from
-- its row and the token together. status and body are null only while the answer is being decided,
-- which nobody sees but the transaction that decides.
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

CREATE TABLE request_result (
    caller          text        NOT NULL,
    route           text        NOT NULL,
    token_hash      bytea       NOT NULL,
    digest          text        NOT NULL,
    digest_function text        NOT NULL,
    status          int,
    body            bytea,
    recorded_at     timestamptz NOT NULL,
    window_end      timestamptz NOT NULL,
    CONSTRAINT request_result_key PRIMARY KEY (caller, route, token_hash),
    CONSTRAINT request_result_route_known
        CHECK (route IN ('create_pool', 'create_key', 'revoke_key')),
    CONSTRAINT request_result_token_is_sha256 CHECK (length(token_hash) = 32),
    CONSTRAINT request_result_status_form CHECK (status BETWEEN 200 AND 499),
    CONSTRAINT request_result_is_whole CHECK ((status IS NULL) = (body IS NULL)),
    CONSTRAINT request_result_window_is_open CHECK (window_end > recorded_at)
);

CREATE INDEX request_result_elapsed ON request_result (window_end);
