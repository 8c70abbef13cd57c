-- Idempotency: the first result of each token, and the identities that duplicate guards have seen.
-- Rows live as long as their window; a purge deletes them afterwards. Lasting records are the
-- journal for holds and consumed_request for sales.
--
-- Locks: creates new tables only.

-- The outcome of each token of the hold routes and of confirm. The drainer and the sale write it.
-- There is no foreign key to pool, for the same reason as in journal.
CREATE TABLE token_result (
    pool            text        NOT NULL,
    caller          text        NOT NULL,
    token           bytea       NOT NULL,
    action          token_action NOT NULL,
    digest          text        NOT NULL,
    digest_function text        NOT NULL,
    outcome         text        NOT NULL, -- the outcome's word and details, separated by tabs
    recorded_at     timestamptz NOT NULL,
    window_until    timestamptz NOT NULL,
    CONSTRAINT token_result_key PRIMARY KEY (pool, caller, token),
    CONSTRAINT token_result_window_positive CHECK (recorded_at < window_until)
);

CREATE INDEX token_result_window ON token_result (window_until);

GRANT SELECT, INSERT, UPDATE, DELETE ON token_result TO holdfast_service;
GRANT SELECT ON token_result TO holdfast_auditor;

-- The same for the other routes: the first response to a token. The primary key makes calls with
-- equal tokens wait for one another, also on two instances. Only the hash of a token is stored,
-- because the response of create_key can be computed from its row together with the token. status
-- and body are null only inside the transaction that decides the response.
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
        CHECK (route IN ('create_pool', 'create_key', 'revoke_key', 'create_authorization',
                         'create_checkout', 'resume_checkout', 'void_commitment',
                         'create_webhook', 'delete_webhook', 'replay_webhook', 'shred_subject')),
    CONSTRAINT request_result_token_is_sha256 CHECK (length(token_hash) = 32),
    CONSTRAINT request_result_status_form CHECK (status BETWEEN 200 AND 499),
    CONSTRAINT request_result_is_whole CHECK ((status IS NULL) = (body IS NULL)),
    CONSTRAINT request_result_window_is_open CHECK (window_end > recorded_at)
);

CREATE INDEX request_result_elapsed ON request_result (window_end);

-- The auditor has no grant: responses can contain secrets.
GRANT SELECT, INSERT, UPDATE, DELETE ON request_result TO holdfast_service;

-- The identities that the duplicate guards with a Postgres store have seen: see DuplicateGuard. An
-- identity is guarded from recorded_at until the window of its guard ends. Only the guard knows the
-- length of that window; recorded_at does not change before the window has ended.
CREATE TABLE guarded (
    guard       text        NOT NULL,
    identity    text        NOT NULL, -- in the form in which the guard compares identities
    recorded_at timestamptz NOT NULL,
    CONSTRAINT guarded_key PRIMARY KEY (guard, identity),
    CONSTRAINT guarded_guard_form CHECK (guard ~ '^[a-z0-9-]{1,64}$')
);

CREATE INDEX guarded_elapsed ON guarded (guard, recorded_at);

GRANT SELECT, INSERT, DELETE ON guarded TO holdfast_service;
GRANT UPDATE (recorded_at) ON guarded TO holdfast_service;
GRANT SELECT ON guarded TO holdfast_auditor;
