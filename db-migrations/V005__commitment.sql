-- Who has bought what, for good, and everything that keeps it from being sold twice. Nothing in
-- Redis has a say here: whatever the code above does, an item has one live commitment, a logical
-- key is consumed once, and a nonce is used once.
--
-- Three roles: whoever migrates owns the tables; holdfast_service, which the service's connections
-- become, has no DDL and can change nothing that is append-only; holdfast_auditor only reads.
--
-- Locks: item, exclusively, for a moment (columns with constant defaults, and constraints that are
-- checked by reading it through once); hold and pool not at all; creates new tables.

ALTER TABLE item
    ADD COLUMN status      text   NOT NULL DEFAULT 'FREE',
    ADD COLUMN fence       bigint NOT NULL DEFAULT 0, -- of the last claim or sale
    ADD COLUMN holder      text,                      -- the hold that has claimed or bought it
    ADD COLUMN version     bigint NOT NULL DEFAULT 0,
    ADD COLUMN claim_until timestamptz,
    ADD CONSTRAINT item_status_known CHECK (status IN ('FREE', 'CLAIMED', 'SOLD')),
    ADD CONSTRAINT item_fence_fits CHECK (fence BETWEEN 0 AND 9007199254740991),
    ADD CONSTRAINT item_holder_unless_free CHECK ((status = 'FREE') = (holder IS NULL)),
    ADD CONSTRAINT item_claim_ends CHECK ((status = 'CLAIMED') = (claim_until IS NOT NULL));

ALTER TABLE item SET (fillfactor = 80);

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

-- The promise that nothing is sold twice.
CREATE UNIQUE INDEX commitment_one_live_per_item ON commitment (pool, item) WHERE voided_at IS NULL;

CREATE INDEX commitment_of_hold ON commitment (pool, hold_id);

-- FREE, CLAIMED and SOLD follow one another in these ways only. A claim is sold or given back at
-- the fence it was made at; whoever comes anew has a higher one. What is sold becomes free only
-- once its commitment is void, and keeps its fence.
CREATE FUNCTION item_changes_by_the_rules() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    IF NEW.fence < OLD.fence THEN
        RAISE EXCEPTION 'the fence of item % of pool % cannot fall from % to %',
                        OLD.item, OLD.pool, OLD.fence, NEW.fence
            USING ERRCODE = 'check_violation', CONSTRAINT = 'item_fence_never_falls';
    END IF;
    NEW.version := OLD.version + 1;
    IF OLD.status = 'FREE' THEN
        IF NEW.fence > OLD.fence AND NEW.status <> 'FREE'
           OR NEW.fence = OLD.fence AND NEW.status = 'FREE' THEN
            RETURN NEW;
        END IF;
    ELSIF NEW.fence = OLD.fence THEN
        IF NEW.holder = OLD.holder AND (OLD.status, NEW.status) <> ('SOLD', 'CLAIMED')
           OR OLD.status = 'CLAIMED' AND NEW.status = 'FREE' THEN
            RETURN NEW;
        END IF;
        IF NEW.status = 'FREE'
           AND NOT EXISTS (SELECT 1 FROM commitment c
                            WHERE c.pool = OLD.pool AND c.item = OLD.item
                              AND c.voided_at IS NULL) THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'item % of pool % cannot go from % at fence % to % at fence %',
                    OLD.item, OLD.pool, OLD.status, OLD.fence, NEW.status, NEW.fence
        USING ERRCODE = 'check_violation', CONSTRAINT = 'item_changes_by_the_rules';
END
$$;

CREATE TRIGGER item_changes_by_the_rules
    BEFORE UPDATE ON item
    FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*)
    EXECUTE FUNCTION item_changes_by_the_rules();

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
        OLD.voided_at IS NOT NULL OR NEW.voided_at IS NULL
        OR (OLD.pool, OLD.item, OLD.hold_id, OLD.fence, OLD.caller, OLD.requester, OLD.order_id,
            OLD.logical_key, OLD.price_cents, OLD.currency, OLD.committed_at)
           IS DISTINCT FROM
           (NEW.pool, NEW.item, NEW.hold_id, NEW.fence, NEW.caller, NEW.requester, NEW.order_id,
            NEW.logical_key, NEW.price_cents, NEW.currency, NEW.committed_at))
    EXECUTE FUNCTION commitment_is_for_ever();

-- Which intended effects have been had. replay_key is a hash of all that stands before it, length
-- by length; attempt and nonce have no part in it. Another deployment has another artefact hash and
-- so another replay_key, hence the primary key besides. Rows stay for ever: the horizon of replays
-- has no end here, and no request can grow so old that its key could be consumed again.
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
    token            bytea       NOT NULL, -- of the call that consumed it
    consumed_at      timestamptz NOT NULL,
    CONSTRAINT consumed_request_key PRIMARY KEY (pool, caller, logical_key),
    CONSTRAINT consumed_request_replay_key_once UNIQUE (replay_key),
    CONSTRAINT consumed_request_operation_known CHECK (operation IN ('confirm')),
    CONSTRAINT consumed_request_replay_key_is_sha256 CHECK (length(replay_key) = 32)
);

CREATE TRIGGER consumed_request_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON consumed_request
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

-- What a second look at a sale has shown, after its transaction and before its answer. A sale that
-- failed it is answered with "compensating" for ever; its logical key stays consumed.
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

-- Leave to do one thing with one hold within a time, once. Only hashes are kept, as of API keys.
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
    consumed_by text, -- the logical key that it was used for
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

-- Every execution, also one whose transaction was rolled back: that is written in another one. An
-- attempt is never a part of what makes a request unique, so there is nothing unique here but the
-- row itself.
CREATE TABLE attempt (
    pool        text        NOT NULL,
    id          bigint      GENERATED ALWAYS AS IDENTITY,
    caller      text        NOT NULL,
    token       bytea       NOT NULL,
    attempt_id  text,                 -- as the caller named it
    action      text        NOT NULL,
    hold_id     text        NOT NULL,
    logical_key text,
    outcome     text        NOT NULL, -- the word of it
    detail      text        NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT attempt_key PRIMARY KEY (pool, id),
    CONSTRAINT attempt_action_known CHECK (action IN ('place_hold', 'confirm', 'release', 'expire'))
);

CREATE INDEX attempt_of_token ON attempt (pool, caller, token);

CREATE TRIGGER attempt_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON attempt
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

-- What Redis has to be told. A row goes when Redis has been told.
CREATE TABLE outbox (
    id         bigint      GENERATED ALWAYS AS IDENTITY,
    pool       text        NOT NULL,
    hold_id    text        NOT NULL,
    topic      text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT outbox_key PRIMARY KEY (id),
    CONSTRAINT outbox_topic_known CHECK (topic IN ('settle'))
);

-- Roles belong to the whole server, and other databases of it may be migrated at this moment: what
-- somebody else has just made is as good as made here.
DO
$$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY ['holdfast_service', 'holdfast_auditor'] LOOP
        IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = wanted) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
            EXCEPTION
                WHEN duplicate_object OR unique_violation THEN NULL;
                WHEN insufficient_privilege THEN
                    RAISE EXCEPTION 'the user % may not create roles; let one who may run: CREATE ROLE holdfast_service NOLOGIN, CREATE ROLE holdfast_auditor NOLOGIN and GRANT holdfast_service, holdfast_auditor TO %',
                                    current_user, quote_ident(current_user)
                        USING ERRCODE = 'insufficient_privilege';
            END;
        END IF;
        BEGIN
            EXECUTE format('GRANT %I TO CURRENT_USER', wanted);
        EXCEPTION
            WHEN unique_violation THEN NULL;
            WHEN insufficient_privilege THEN
                IF NOT pg_has_role(current_user, wanted, 'MEMBER') THEN
                    RAISE EXCEPTION 'the user % may not become %; let one who may run: GRANT holdfast_service, holdfast_auditor TO %',
                                    current_user, wanted, quote_ident(current_user)
                        USING ERRCODE = 'insufficient_privilege';
                END IF;
        END;
    END LOOP;
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO holdfast_service, holdfast_auditor',
                   current_schema());
    -- Making partitions is the one thing that needs an owner while the service runs.
    EXECUTE format('ALTER FUNCTION journal_partitions(integer) SECURITY DEFINER SET search_path = %I, pg_temp',
                   current_schema());
END
$$;

REVOKE ALL ON FUNCTION journal_partitions(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION journal_partitions(integer) TO holdfast_service;

GRANT SELECT ON pool, item, hold, token_result, journal, journal_cursor, fence_epoch, lease,
                api_key, request_result, commitment, consumed_request, verification,
                authorization_nonce, attempt, outbox
    TO holdfast_service;
GRANT INSERT ON pool, item, hold, token_result, journal, journal_cursor, fence_epoch, lease,
                api_key, request_result, commitment, consumed_request, verification,
                authorization_nonce, attempt, outbox
    TO holdfast_service;
GRANT UPDATE (epoch) ON pool TO holdfast_service;
GRANT UPDATE (status, fence, holder, claim_until) ON item TO holdfast_service;
GRANT UPDATE (pin_no, lease_until, state, ended_at, end_reason) ON hold TO holdfast_service;
GRANT UPDATE, DELETE ON token_result, request_result, lease TO holdfast_service;
GRANT UPDATE (stream_ms, stream_seq) ON journal_cursor TO holdfast_service;
GRANT UPDATE (revoked_at) ON api_key TO holdfast_service;
GRANT UPDATE (voided_at) ON commitment TO holdfast_service;
GRANT UPDATE (consumed_at, consumed_by) ON authorization_nonce TO holdfast_service;
GRANT DELETE ON outbox TO holdfast_service;

-- Not what keys and answers could be made of.
GRANT SELECT ON pool, item, hold, token_result, journal, journal_cursor, fence_epoch, lease,
                commitment, consumed_request, verification, authorization_nonce, attempt, outbox
    TO holdfast_auditor;
GRANT SELECT (id, caller, scopes, created_at, created_by, revoked_at) ON api_key
    TO holdfast_auditor;
