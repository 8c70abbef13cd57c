-- How often the answer of a token was repeated, and when last. There is one row for each use of a
-- token that was repeated, however often that was. Rows outlive the entries of their tokens in
-- token_result and request_result, because disputes come later than retries.
--
-- Locks: creates a new table. ACCESS EXCLUSIVE on request_result for an instant, to add a column
-- without a default.

-- token_hash is that of request_result: of the token, after the name of the pool and a zero byte if
-- the token belongs to a pool.
CREATE TABLE token_replay (
    token_hash bytea       NOT NULL,
    caller     text        NOT NULL,
    route      text        NOT NULL, -- an action of token_result or a route of request_result
    used_at    timestamptz NOT NULL, -- recorded_at of the entry whose answer was repeated
    pool       text,                 -- that the call belongs to; null if to none
    token      bytea,                -- of token_result; of request_result only the hash is stored
    replays    bigint      NOT NULL,
    first_at   timestamptz NOT NULL,
    last_at    timestamptz NOT NULL,
    CONSTRAINT token_replay_key PRIMARY KEY (token_hash, caller, route, used_at),
    CONSTRAINT token_replay_token_is_sha256 CHECK (length(token_hash) = 32),
    CONSTRAINT token_replay_count_positive CHECK (replays > 0),
    CONSTRAINT token_replay_times_in_order CHECK (first_at <= last_at)
);

GRANT SELECT, INSERT ON token_replay TO holdfast_service;
GRANT UPDATE (replays, last_at) ON token_replay TO holdfast_service;
GRANT SELECT ON token_replay TO holdfast_auditor;

CREATE FUNCTION token_replay_only_grows() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'the count of the replays of a token never falls'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'token_replay_only_grows';
END
$$;

CREATE TRIGGER token_replay_only_grows
    BEFORE UPDATE ON token_replay
    FOR EACH ROW WHEN (OLD.replays > NEW.replays OR OLD.last_at > NEW.last_at)
    EXECUTE FUNCTION token_replay_only_grows();

-- The pool that a call belongs to, for GET /v1/operations; null if to none, or in an old row.
ALTER TABLE request_result ADD COLUMN pool text;

-- The answers stay hidden from the auditor: they can contain secrets.
GRANT SELECT (caller, route, token_hash, status, recorded_at, window_end, pool) ON request_result
    TO holdfast_auditor;
