-- What the world is told, who is told, and what it is encrypted with.
--
-- Locks: request_result, exclusively, for as long as it takes to read it through once; hold and
-- commitment, against writing, for as long as it takes to make an index of hold; creates new tables.

-- Events as they are taken down, in the transaction of the change. An id is given before the commit
-- and so says nothing about the order of commits; a row waits here for a moment until it is given
-- its place in the order of its pool.
CREATE TABLE event_fresh (
    id          bigint      GENERATED ALWAYS AS IDENTITY,
    pool        text        NOT NULL,
    type        text        NOT NULL,
    subject     text        NOT NULL,
    data        text        NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT event_fresh_key PRIMARY KEY (id)
);

-- Events in the order of their pool, without gaps. Personal parts are encrypted.
CREATE TABLE event (
    pool        text        NOT NULL,
    seq         bigint      NOT NULL,
    id          bigint      NOT NULL,
    type        text        NOT NULL,
    subject     text        NOT NULL,
    data        text        NOT NULL,
    recorded_at timestamptz NOT NULL,
    CONSTRAINT event_key PRIMARY KEY (pool, seq),
    CONSTRAINT event_seq_positive CHECK (seq > 0)
);

CREATE TRIGGER event_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON event
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

-- The last number that was given in each pool.
CREATE TABLE event_head (
    pool text   NOT NULL,
    seq  bigint NOT NULL,
    CONSTRAINT event_head_key PRIMARY KEY (pool)
);

-- The key of each person's data. Shredding takes the key away and leaves the row; a person who
-- comes again later gets another one.
CREATE TABLE person_key (
    id          bigint      GENERATED ALWAYS AS IDENTITY,
    person_hash bytea       NOT NULL,
    secret      bytea,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    shredded_at timestamptz,
    CONSTRAINT person_key_key PRIMARY KEY (id),
    CONSTRAINT person_key_hash_is_sha256 CHECK (length(person_hash) = 32),
    CONSTRAINT person_key_secret_is_256_bits CHECK (length(secret) = 32),
    CONSTRAINT person_key_gone_once_shredded CHECK ((secret IS NULL) = (shredded_at IS NOT NULL))
);

CREATE UNIQUE INDEX person_key_one_live ON person_key (person_hash) WHERE secret IS NOT NULL;

CREATE FUNCTION person_key_is_shredded_once() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'the key of a person stays as it was made; it can be shredded, once'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'person_key_is_shredded_once';
END
$$;

CREATE TRIGGER person_key_is_shredded_once
    BEFORE UPDATE ON person_key
    FOR EACH ROW WHEN (
        OLD.secret IS NULL OR NEW.secret IS NOT NULL
        OR (OLD.id, OLD.person_hash, OLD.created_at)
           IS DISTINCT FROM (NEW.id, NEW.person_hash, NEW.created_at))
    EXECUTE FUNCTION person_key_is_shredded_once();

CREATE TRIGGER person_key_is_for_ever
    BEFORE DELETE OR TRUNCATE ON person_key
    FOR EACH STATEMENT EXECUTE FUNCTION person_key_is_shredded_once();

-- Which events have parts that a key opens.
CREATE TABLE event_person (
    key_id bigint NOT NULL,
    pool   text   NOT NULL,
    seq    bigint NOT NULL,
    fields text[] NOT NULL,
    CONSTRAINT event_person_key PRIMARY KEY (key_id, pool, seq)
);

CREATE TRIGGER event_person_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON event_person
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

-- What each shredding has made unreadable.
CREATE TABLE shredding (
    id              bigint      GENERATED ALWAYS AS IDENTITY,
    correlation_id  text        NOT NULL,
    caller          text        NOT NULL, -- who asked for it
    person_hash     bytea       NOT NULL,
    fields          text[]      NOT NULL, -- paths in events
    parts           bigint      NOT NULL, -- how many values were at them
    events          bigint      NOT NULL,
    holds           bigint      NOT NULL,
    commitments     bigint      NOT NULL,
    shredded_at     timestamptz NOT NULL,
    CONSTRAINT shredding_key PRIMARY KEY (id)
);

CREATE SEQUENCE shredding_number; -- stands in the records where a requester was

CREATE TRIGGER shredding_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON shredding
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

-- Whose holds they are: for shredding, which has to find them all.
CREATE INDEX hold_of_requester ON hold (caller, requester);

-- One thing may change about a hold that has ended, and about a commitment: whom it was for can be
-- made unknown. What it was, when, and how it ended stays.
DROP TRIGGER hold_end_is_final ON hold;
CREATE TRIGGER hold_end_is_final
    BEFORE UPDATE ON hold
    FOR EACH ROW WHEN (
        OLD.state <> 'HELD' AND OLD.* IS DISTINCT FROM NEW.*
        AND NOT (NEW.requester LIKE 'shredded:%'
                 AND to_jsonb(OLD.*) - 'requester' = to_jsonb(NEW.*) - 'requester'))
    EXECUTE FUNCTION hold_end_is_final();

DROP TRIGGER hold_origin_is_fixed ON hold;
CREATE TRIGGER hold_origin_is_fixed
    BEFORE UPDATE ON hold
    FOR EACH ROW WHEN (
        OLD.pool <> NEW.pool OR OLD.hold_id <> NEW.hold_id OR OLD.caller <> NEW.caller
        OR OLD.requester <> NEW.requester
           AND (OLD.state = 'HELD' OR NEW.requester NOT LIKE 'shredded:%')
        OR OLD.items <> NEW.items
        OR OLD.quantity IS DISTINCT FROM NEW.quantity OR OLD.fence <> NEW.fence
        OR OLD.salt <> NEW.salt OR OLD.token <> NEW.token OR OLD.placed_at <> NEW.placed_at
        OR OLD.expires_at <> NEW.expires_at OR OLD.lease_ms <> NEW.lease_ms
        OR OLD.pin_no > NEW.pin_no)
    EXECUTE FUNCTION hold_origin_is_fixed();

DROP TRIGGER commitment_is_voided_once ON commitment;
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

-- Who is told. The secret is needed to sign; nobody but the service reads it.
CREATE TABLE webhook (
    id           bigint      GENERATED ALWAYS AS IDENTITY,
    caller       text        NOT NULL,
    url          text        NOT NULL,
    types        text[]      NOT NULL,
    secret       text        NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    enabled      boolean     NOT NULL DEFAULT true,
    disabled_why text,
    deleted_at   timestamptz,
    CONSTRAINT webhook_key PRIMARY KEY (id),
    CONSTRAINT webhook_disabled_for_a_reason CHECK (enabled = (disabled_why IS NULL)),
    CONSTRAINT webhook_deleted_is_disabled CHECK (deleted_at IS NULL OR NOT enabled)
);

-- How far a webhook has been told of a pool, and since when it does not take the next one.
CREATE TABLE webhook_lane (
    webhook_id bigint      NOT NULL,
    pool       text        NOT NULL,
    seq        bigint      NOT NULL,
    failures   integer     NOT NULL DEFAULT 0,
    due_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT webhook_lane_key PRIMARY KEY (webhook_id, pool),
    CONSTRAINT webhook_lane_of FOREIGN KEY (webhook_id) REFERENCES webhook (id)
);

-- Every try, for as long as the log is kept.
CREATE TABLE webhook_delivery (
    id         bigint      GENERATED ALWAYS AS IDENTITY,
    webhook_id bigint      NOT NULL,
    pool       text        NOT NULL,
    seq        bigint      NOT NULL,
    event_id   bigint      NOT NULL,
    type       text        NOT NULL,
    attempt    integer     NOT NULL,
    outcome    text        NOT NULL,
    status     integer,
    detail     text        NOT NULL,
    tried_at   timestamptz NOT NULL,
    took_ms    bigint      NOT NULL,
    CONSTRAINT webhook_delivery_key PRIMARY KEY (id),
    CONSTRAINT webhook_delivery_outcome_known CHECK (outcome IN ('DELIVERED', 'FAILED', 'GONE'))
);

CREATE INDEX webhook_delivery_of ON webhook_delivery (webhook_id, id);

ALTER TABLE request_result
    DROP CONSTRAINT request_result_route_known,
    ADD CONSTRAINT request_result_route_known
        CHECK (route IN ('create_pool', 'create_key', 'revoke_key', 'create_authorization',
                         'create_checkout', 'resume_checkout', 'void_commitment',
                         'create_webhook', 'delete_webhook', 'replay_webhook', 'shred_subject'));

GRANT SELECT, INSERT ON event_fresh, event, event_head, person_key, event_person, shredding,
                        webhook, webhook_lane, webhook_delivery
    TO holdfast_service;
GRANT USAGE ON SEQUENCE shredding_number TO holdfast_service;
GRANT DELETE ON event_fresh, webhook_lane, webhook_delivery TO holdfast_service;
GRANT UPDATE (seq) ON event_head TO holdfast_service;
GRANT UPDATE (secret, shredded_at) ON person_key TO holdfast_service;
GRANT UPDATE (requester) ON hold, commitment TO holdfast_service; -- the triggers say to what
GRANT UPDATE (enabled, disabled_why, deleted_at) ON webhook TO holdfast_service;
GRANT UPDATE (seq, failures, due_at) ON webhook_lane TO holdfast_service;

-- Not what opens personal data, and not what events are signed with.
GRANT SELECT ON event_fresh, event, event_head, event_person, shredding, webhook_lane,
                webhook_delivery
    TO holdfast_auditor;
GRANT SELECT (id, person_hash, created_at, shredded_at) ON person_key TO holdfast_auditor;
GRANT SELECT (id, caller, url, types, created_at, enabled, disabled_why, deleted_at) ON webhook
    TO holdfast_auditor;
