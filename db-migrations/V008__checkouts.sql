-- Checkouts: a hold, its payment and its sale as one saga, which ends with both payment and sale or
-- with neither. Every step is recorded together with its compensation before it runs, so any
-- instance that finds an unfinished checkout knows what is left to do, forward or backward.
--
-- Locks: creates new tables only.

-- The fill factors leave room for HOT updates: each step updates its row and the checkout's row.
CREATE TABLE checkout (
    pool           text        NOT NULL,
    checkout_id    text        NOT NULL,
    saga           text        NOT NULL,
    caller         text        NOT NULL,
    requester      text        NOT NULL,
    hold_id        text        NOT NULL,
    fence          bigint      NOT NULL,
    provider       text        NOT NULL,
    method         text        NOT NULL,
    amount_cents   bigint      NOT NULL,
    currency       text        NOT NULL,
    phase          text        NOT NULL DEFAULT 'FORWARD',
    steps_done     integer     NOT NULL DEFAULT 0,
    tries          integer     NOT NULL DEFAULT 0, -- of the current step
    failure_code   text,
    failure        text,
    claim_until    timestamptz,
    replacement_id text,                           -- the hold that replaced an expired one
    refund_cents   bigint,                         -- of the captured amount; null: all of it
    lease_no       bigint      NOT NULL DEFAULT 1,
    lease_until    timestamptz NOT NULL,
    next_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    changed_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at       timestamptz,
    CONSTRAINT checkout_key PRIMARY KEY (pool, checkout_id),
    -- A hold has one checkout. The index starts with hold_id: with pool first, a planner without
    -- statistics could use it to look up a checkout_id, and then read every checkout of the pool.
    CONSTRAINT checkout_hold_once UNIQUE (hold_id, pool),
    CONSTRAINT checkout_phase_known
        CHECK (phase IN ('FORWARD', 'COMPENSATING', 'DONE', 'COMPENSATED', 'STUCK')),
    CONSTRAINT checkout_ends_with_its_phase
        CHECK ((phase IN ('DONE', 'COMPENSATED', 'STUCK')) = (ended_at IS NOT NULL)),
    CONSTRAINT checkout_failure_has_a_code CHECK ((failure_code IS NULL) = (failure IS NULL)),
    CONSTRAINT checkout_amount_not_negative CHECK (amount_cents >= 0),
    CONSTRAINT checkout_refund_within_amount CHECK (refund_cents BETWEEN 0 AND amount_cents)
) WITH (fillfactor = 70);

-- The runners look for open checkouts: few rows, however many checkouts there have been.
CREATE INDEX checkout_open ON checkout (next_at) WHERE ended_at IS NULL;

-- The checkout that sold a hold is looked up by its first hold or by the replacement.
CREATE INDEX checkout_replacement ON checkout (replacement_id) WHERE replacement_id IS NOT NULL;

CREATE FUNCTION checkout_goes_by_the_rules() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    IF NEW.lease_no < OLD.lease_no
       OR NOT (OLD.phase = NEW.phase AND OLD.phase IN ('FORWARD', 'COMPENSATING')
               OR (OLD.phase, NEW.phase) IN (('FORWARD', 'DONE'), ('FORWARD', 'COMPENSATING'),
                                             ('FORWARD', 'COMPENSATED'), -- nothing was done yet
                                             ('COMPENSATING', 'COMPENSATED'),
                                             ('COMPENSATING', 'STUCK'), ('DONE', 'COMPENSATING'),
                                             ('STUCK', 'COMPENSATING'))) THEN
        RAISE EXCEPTION 'checkout % cannot go from % at lease % to % at lease %',
                        OLD.checkout_id, OLD.phase, OLD.lease_no, NEW.phase, NEW.lease_no
            USING ERRCODE = 'check_violation', CONSTRAINT = 'checkout_goes_by_the_rules';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER checkout_goes_by_the_rules
    BEFORE UPDATE ON checkout
    FOR EACH ROW EXECUTE FUNCTION checkout_goes_by_the_rules();

GRANT SELECT, INSERT ON checkout TO holdfast_service;
GRANT UPDATE (phase, steps_done, tries, failure_code, failure, claim_until, replacement_id,
              refund_cents, lease_no, lease_until, next_at, changed_at, ended_at)
    ON checkout TO holdfast_service;
GRANT SELECT ON checkout TO holdfast_auditor;

-- All steps of a checkout, planned from its start. call_id and undo_id are sent to the payment
-- provider, where a second call with the same id has no second effect. undo_id is derived from
-- call_id, which is unique, so undo_id needs no unique index of its own.
CREATE TABLE checkout_step (
    pool        text        NOT NULL,
    checkout_id text        NOT NULL,
    ordinal     integer     NOT NULL,
    name        text        NOT NULL,
    call_id     text        NOT NULL,
    undo_id     text        NOT NULL,
    state       text        NOT NULL DEFAULT 'PLANNED',
    undo        text        NOT NULL, -- the state of the compensation
    undo_tries  integer     NOT NULL DEFAULT 0,
    detail      text        NOT NULL DEFAULT '',
    changed_at  timestamptz,
    CONSTRAINT checkout_step_key PRIMARY KEY (pool, checkout_id, ordinal),
    CONSTRAINT checkout_step_call_once UNIQUE (call_id),
    CONSTRAINT checkout_step_undo_named CHECK (undo_id = call_id || ':undo'),
    CONSTRAINT checkout_step_of_checkout
        FOREIGN KEY (pool, checkout_id) REFERENCES checkout (pool, checkout_id),
    CONSTRAINT checkout_step_state_known CHECK (state IN ('PLANNED', 'DONE', 'FAILED', 'UNKNOWN')),
    CONSTRAINT checkout_step_undo_known
        CHECK (undo IN ('PLANNED', 'IRREVOCABLE', 'RETRY', 'DONE', 'STUCK'))
) WITH (fillfactor = 70);

GRANT SELECT, INSERT ON checkout_step TO holdfast_service;
GRANT UPDATE (state, undo, undo_tries, detail, changed_at) ON checkout_step TO holdfast_service;
GRANT SELECT ON checkout_step TO holdfast_auditor;

-- Everything that happened in a checkout, in order. The lines are read by checkout, so the primary
-- key has the checkout before the id and no second index is needed.
CREATE TABLE checkout_log (
    pool        text        NOT NULL,
    id          bigint      GENERATED ALWAYS AS IDENTITY,
    checkout_id text        NOT NULL,
    lease_no    bigint      NOT NULL,
    step        text,
    event       text        NOT NULL,
    detail      text        NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT checkout_log_key PRIMARY KEY (pool, checkout_id, id)
);

CREATE TRIGGER checkout_log_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON checkout_log
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

GRANT SELECT, INSERT ON checkout_log TO holdfast_service;
GRANT SELECT ON checkout_log TO holdfast_auditor;
