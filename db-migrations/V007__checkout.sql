-- Checkouts: a hold, its payment and its sale as one story, which ends with both or with neither.
-- Every step is written down with what undoes it before anything is done, so whoever finds a
-- checkout half-way knows what is left to do, forward or backward. Money that moved and sales that
-- were taken back are records of their own, which nobody changes.
--
-- Locks: consumed_request is not touched; request_result exclusively, for as long as it takes to
-- read it through once; creates new tables.

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
    tries          integer     NOT NULL DEFAULT 0, -- of the step that it is at
    failure_code   text,
    failure        text,
    claim_until    timestamptz,
    replacement_id text,                           -- the hold in the place of one that ran out
    refund_cents   bigint,                         -- of what was captured; null for all of it
    lease_no       bigint      NOT NULL DEFAULT 1,
    lease_until    timestamptz NOT NULL,
    next_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    changed_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at       timestamptz,
    CONSTRAINT checkout_key PRIMARY KEY (pool, checkout_id),
    CONSTRAINT checkout_hold_once UNIQUE (pool, hold_id),
    CONSTRAINT checkout_phase_known
        CHECK (phase IN ('FORWARD', 'COMPENSATING', 'DONE', 'COMPENSATED', 'STUCK')),
    CONSTRAINT checkout_ends_with_its_phase
        CHECK ((phase IN ('DONE', 'COMPENSATED', 'STUCK')) = (ended_at IS NOT NULL)),
    CONSTRAINT checkout_failure_has_a_code CHECK ((failure_code IS NULL) = (failure IS NULL)),
    CONSTRAINT checkout_amount_not_negative CHECK (amount_cents >= 0),
    CONSTRAINT checkout_refund_within_amount CHECK (refund_cents BETWEEN 0 AND amount_cents)
) WITH (fillfactor = 70);

-- What runners look for: few rows, however many checkouts there have been.
CREATE INDEX checkout_open ON checkout (next_at) WHERE ended_at IS NULL;

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

-- All steps of a checkout from its beginning. call_id and undo_id go to the outside, where a second
-- call with the same one has no second effect.
CREATE TABLE checkout_step (
    pool        text        NOT NULL,
    checkout_id text        NOT NULL,
    ordinal     integer     NOT NULL,
    name        text        NOT NULL,
    call_id     text        NOT NULL,
    undo_id     text        NOT NULL,
    state       text        NOT NULL DEFAULT 'PLANNED',
    undo        text        NOT NULL, -- how far what undoes it has come
    undo_tries  integer     NOT NULL DEFAULT 0,
    detail      text        NOT NULL DEFAULT '',
    changed_at  timestamptz,
    CONSTRAINT checkout_step_key PRIMARY KEY (pool, checkout_id, ordinal),
    CONSTRAINT checkout_step_call_once UNIQUE (call_id),
    CONSTRAINT checkout_step_undo_once UNIQUE (undo_id),
    CONSTRAINT checkout_step_of_checkout
        FOREIGN KEY (pool, checkout_id) REFERENCES checkout (pool, checkout_id),
    CONSTRAINT checkout_step_state_known CHECK (state IN ('PLANNED', 'DONE', 'FAILED', 'UNKNOWN')),
    CONSTRAINT checkout_step_undo_known
        CHECK (undo IN ('PLANNED', 'IRREVOCABLE', 'RETRY', 'DONE', 'STUCK'))
) WITH (fillfactor = 70);

-- Whatever happened in a checkout, in order.
CREATE TABLE checkout_log (
    pool        text        NOT NULL,
    id          bigint      GENERATED ALWAYS AS IDENTITY,
    checkout_id text        NOT NULL,
    lease_no    bigint      NOT NULL,
    step        text,
    event       text        NOT NULL,
    detail      text        NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT checkout_log_key PRIMARY KEY (pool, id)
);

CREATE INDEX checkout_log_of_checkout ON checkout_log (pool, checkout_id, id);

CREATE TRIGGER checkout_log_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON checkout_log
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

-- Money that moved, as the provider has confirmed it to us, once for each call. KEPT is what a
-- refund leaves with us by agreement.
CREATE TABLE payment_entry (
    pool        text        NOT NULL,
    checkout_id text        NOT NULL,
    call_id     text        NOT NULL,
    kind        text        NOT NULL,
    cents       bigint      NOT NULL,
    currency    text        NOT NULL,
    reference   text        NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT payment_entry_key PRIMARY KEY (pool, checkout_id, call_id, kind),
    CONSTRAINT payment_entry_of_checkout
        FOREIGN KEY (pool, checkout_id) REFERENCES checkout (pool, checkout_id),
    CONSTRAINT payment_entry_kind_known
        CHECK (kind IN ('AUTHORISED', 'CANCELLED', 'CAPTURED', 'REFUNDED', 'KEPT')),
    CONSTRAINT payment_entry_not_negative CHECK (cents >= 0)
);

CREATE TRIGGER payment_entry_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON payment_entry
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

-- The taking back of a sale: a new record that refers to it. The sale itself stays on record.
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

ALTER TABLE request_result
    DROP CONSTRAINT request_result_route_known,
    ADD CONSTRAINT request_result_route_known
        CHECK (route IN ('create_pool', 'create_key', 'revoke_key', 'create_authorization',
                         'create_checkout', 'resume_checkout', 'void_commitment'));

GRANT SELECT, INSERT ON checkout, checkout_step, checkout_log, payment_entry, reversal
    TO holdfast_service;
GRANT UPDATE (phase, steps_done, tries, failure_code, failure, claim_until, replacement_id,
              refund_cents, lease_no, lease_until, next_at, changed_at, ended_at)
    ON checkout TO holdfast_service;
GRANT UPDATE (state, undo, undo_tries, detail, changed_at) ON checkout_step TO holdfast_service;
GRANT SELECT ON checkout, checkout_step, checkout_log, payment_entry, reversal TO holdfast_auditor;
