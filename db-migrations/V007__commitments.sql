-- Commitments: who has bought what, for good, and the rules that prevent a double sale. Redis has
-- no say here. Whatever the code above does, an item has at most one live commitment and a logical
-- key is consumed once.
--
-- Locks: creates new tables only.

-- A commitment binds an item to a requester. It can be voided once; otherwise it never changes,
-- with one exception: the requester can be replaced by a pseudonym when personal data is shredded.
CREATE TABLE commitment (
    pool         text        NOT NULL,
    item         text        NOT NULL,
    hold_id      text        NOT NULL,
    fence        bigint      NOT NULL,
    caller       text        NOT NULL,
    requester    text        NOT NULL,
    order_id     text        NOT NULL,
    logical_key  text        NOT NULL,
    price_cents  bigint      NOT NULL,
    currency     text        NOT NULL,
    committed_at timestamptz NOT NULL,
    voided_at    timestamptz,
    CONSTRAINT commitment_key PRIMARY KEY (pool, item, fence),
    CONSTRAINT commitment_of_item FOREIGN KEY (pool, item) REFERENCES item (pool, item),
    CONSTRAINT commitment_fence_fits CHECK (fence BETWEEN 1 AND 9007199254740991),
    CONSTRAINT commitment_price_not_negative CHECK (price_cents >= 0),
    CONSTRAINT commitment_voided_afterwards CHECK (voided_at >= committed_at)
);

-- Makes a second live commitment of an item impossible.
CREATE UNIQUE INDEX commitment_one_live_per_item ON commitment (pool, item) WHERE voided_at IS NULL;

CREATE INDEX commitment_of_hold ON commitment (pool, hold_id);

CREATE FUNCTION commitment_is_for_ever() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'a commitment stays as it was made; it can be voided, once'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'commitment_is_for_ever';
END
$$;

CREATE TRIGGER commitment_is_for_ever
    BEFORE DELETE OR TRUNCATE ON commitment
    FOR EACH STATEMENT EXECUTE FUNCTION commitment_is_for_ever();

CREATE TRIGGER commitment_is_voided_once
    BEFORE UPDATE ON commitment
    FOR EACH ROW WHEN (
        (OLD.voided_at IS NOT NULL OR NEW.voided_at IS NULL
         OR (OLD.pool, OLD.item, OLD.hold_id, OLD.fence, OLD.caller, OLD.requester, OLD.order_id,
             OLD.logical_key, OLD.price_cents, OLD.currency, OLD.committed_at)
            IS DISTINCT FROM
            (NEW.pool, NEW.item, NEW.hold_id, NEW.fence, NEW.caller, NEW.requester, NEW.order_id,
             NEW.logical_key, NEW.price_cents, NEW.currency, NEW.committed_at))
        AND NOT (NEW.requester LIKE 'shredded:%'
                 AND to_jsonb(OLD.*) - 'requester' = to_jsonb(NEW.*) - 'requester'))
    EXECUTE FUNCTION commitment_is_for_ever();

-- The triggers allow a change of requester for shredding only.
GRANT SELECT, INSERT ON commitment TO holdfast_service;
GRANT UPDATE (requester, voided_at) ON commitment TO holdfast_service;
GRANT SELECT ON commitment TO holdfast_auditor;

-- The logical keys that have been consumed. replay_key is a hash of the columns before it, each
-- with its length; attempt and nonce are not part of it. Another deployment has another
-- artifact_hash and therefore another replay_key, so the primary key is needed as well. Rows are
-- kept for ever: the replay horizon has no end, and no request is ever old enough to consume its
-- key again.
CREATE TABLE consumed_request (
    pool             text        NOT NULL,
    caller           text        NOT NULL,
    logical_key      text        NOT NULL,
    protocol_version text        NOT NULL,
    operation        text        NOT NULL,
    target           text        NOT NULL, -- the hold
    artifact_hash    text        NOT NULL,
    owner_binding    text        NOT NULL,
    run_id           text        NOT NULL,
    replay_key       bytea       NOT NULL,
    order_id         text        NOT NULL,
    token            bytea       NOT NULL, -- of the call that consumed the key
    consumed_at      timestamptz NOT NULL,
    CONSTRAINT consumed_request_key PRIMARY KEY (pool, caller, logical_key),
    CONSTRAINT consumed_request_replay_key_once UNIQUE (replay_key),
    CONSTRAINT consumed_request_operation_known CHECK (operation = 'confirm'),
    CONSTRAINT consumed_request_replay_key_is_sha256 CHECK (length(replay_key) = 32)
);

CREATE TRIGGER consumed_request_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON consumed_request
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

GRANT SELECT, INSERT ON consumed_request TO holdfast_service;
GRANT SELECT ON consumed_request TO holdfast_auditor;

-- The result of reading a sale again after its transaction and before its response. A sale that
-- failed the verification is answered with "compensating" for ever; its logical key stays consumed.
CREATE TABLE verification (
    pool        text        NOT NULL,
    hold_id     text        NOT NULL,
    passed      boolean     NOT NULL,
    detail      text        NOT NULL,
    verified_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT verification_key PRIMARY KEY (pool, hold_id)
);

CREATE INDEX verification_failed ON verification (pool, hold_id) WHERE NOT passed;

CREATE TRIGGER verification_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON verification
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

GRANT SELECT, INSERT ON verification TO holdfast_service;
GRANT SELECT ON verification TO holdfast_auditor;

-- Voids a sale: a new record that refers to it. The sale itself stays on record.
CREATE TABLE reversal (
    pool        text        NOT NULL,
    hold_id     text        NOT NULL,
    reversal_id text        NOT NULL,
    reversed_by text        NOT NULL,
    reason      text        NOT NULL,
    voided_at   timestamptz NOT NULL,
    CONSTRAINT reversal_key PRIMARY KEY (pool, hold_id),
    CONSTRAINT reversal_id_once UNIQUE (reversal_id)
);

CREATE TRIGGER reversal_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON reversal
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

GRANT SELECT, INSERT ON reversal TO holdfast_service;
GRANT SELECT ON reversal TO holdfast_auditor;

-- One row per execution. An execution whose transaction was rolled back is recorded in a
-- transaction of its own. An attempt never takes part in the uniqueness of a request, so only the
-- row id is unique here.
CREATE TABLE attempt (
    pool        text        NOT NULL,
    id          bigint      GENERATED ALWAYS AS IDENTITY,
    caller      text        NOT NULL,
    token       bytea       NOT NULL,
    attempt_id  text,                 -- given by the caller
    action      token_action NOT NULL,
    hold_id     text        NOT NULL,
    logical_key text,
    outcome     text        NOT NULL, -- the outcome's word
    detail      text        NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT attempt_key PRIMARY KEY (pool, id)
);

CREATE INDEX attempt_of_token ON attempt (pool, caller, token);

CREATE TRIGGER attempt_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON attempt
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

GRANT SELECT, INSERT ON attempt TO holdfast_service;
GRANT SELECT ON attempt TO holdfast_auditor;

-- Messages for Redis. A row is deleted after Redis has acknowledged it.
CREATE TABLE outbox (
    id         bigint      GENERATED ALWAYS AS IDENTITY,
    pool       text        NOT NULL,
    hold_id    text        NOT NULL,
    topic      text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT outbox_key PRIMARY KEY (id),
    CONSTRAINT outbox_topic_known CHECK (topic = 'settle')
);

GRANT SELECT, INSERT, DELETE ON outbox TO holdfast_service;
GRANT SELECT ON outbox TO holdfast_auditor;

-- Compares row counts inside the server. The transaction of a sale writes, checks its row counts
-- and commits in one round trip, so the check must run here. After the error, Postgres runs no
-- later statement of the round trip, including the COMMIT.
CREATE FUNCTION written_as_read(written bigint[], expected bigint[]) RETURNS boolean
    LANGUAGE plpgsql AS
$$
BEGIN
    IF written IS DISTINCT FROM expected THEN
        RAISE EXCEPTION 'what was read had changed before it was written: % rows in the place of %',
                        written, expected
            USING ERRCODE = 'HF001';
    END IF;
    RETURN true;
END
$$;
