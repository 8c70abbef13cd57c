-- Payments: money that moved, calls to payment providers, and notices from them. A call is recorded
-- before it is sent, so every notice can be compared with its call. These records are append-only.
-- No table has a column for card data: a method is a word that the provider defines.
--
-- The tables simulated_… belong to the payment simulator. It runs inside the service but is not
-- part of it: the service never reads or writes them in one of its own transactions, and no foreign
-- key connects both sides.
--
-- Locks: creates new tables only.

-- Money that moved, as confirmed by the provider, once for each call. KEPT is the part of the
-- captured amount that a refund leaves with the seller by agreement.
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

GRANT SELECT, INSERT ON payment_entry TO holdfast_service;
GRANT SELECT ON payment_entry TO holdfast_auditor;

CREATE TABLE payment_call (
    provider     text        NOT NULL,
    call_id      text        NOT NULL,
    payment_id   text        NOT NULL,
    step         text        NOT NULL,
    method       text        NOT NULL,
    amount_cents bigint      NOT NULL,
    currency     text        NOT NULL,
    asked_at     timestamptz NOT NULL DEFAULT clock_timestamp(), -- the first time
    CONSTRAINT payment_call_key PRIMARY KEY (provider, call_id),
    CONSTRAINT payment_call_step_known
        CHECK (step IN ('authorise', 'capture', 'cancel', 'refund')),
    CONSTRAINT payment_call_amount_not_negative CHECK (amount_cents >= 0)
);

CREATE INDEX payment_call_of_payment ON payment_call (payment_id);

CREATE TRIGGER payment_call_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON payment_call
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

GRANT SELECT, INSERT ON payment_call TO holdfast_service;
GRANT SELECT ON payment_call TO holdfast_auditor;

-- The verdicts. counts: the provider's decision on the call. repeats: the same decision again.
-- differs: does not match the call. contradicts: the opposite of the notice that counts.
CREATE TABLE payment_notice (
    provider     text        NOT NULL,
    webhook_id   text        NOT NULL,
    call_id      text        NOT NULL,
    payment_id   text        NOT NULL,
    outcome      text        NOT NULL,
    reference    text,
    amount_cents bigint,
    currency     text,
    why          text,
    verdict      text        NOT NULL,
    received_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT payment_notice_key PRIMARY KEY (provider, webhook_id),
    CONSTRAINT payment_notice_of_call
        FOREIGN KEY (provider, call_id) REFERENCES payment_call (provider, call_id),
    CONSTRAINT payment_notice_outcome_known CHECK (outcome IN ('done', 'declined')),
    CONSTRAINT payment_notice_verdict_known
        CHECK (verdict IN ('counts', 'repeats', 'differs', 'contradicts')),
    CONSTRAINT payment_notice_done_is_whole
        CHECK (outcome = 'declined'
               OR (reference IS NOT NULL AND amount_cents IS NOT NULL AND currency IS NOT NULL))
);

-- One decision per call, whatever notices arrive later.
CREATE UNIQUE INDEX payment_notice_one_counts ON payment_notice (provider, call_id)
    WHERE verdict = 'counts';

CREATE TRIGGER payment_notice_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON payment_notice
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

GRANT SELECT, INSERT ON payment_notice TO holdfast_service;
GRANT SELECT ON payment_notice TO holdfast_auditor;

-- The simulator must not lose money either, or its records could not show where money went: it
-- captures at most the authorised amount and refunds at most the captured amount.
CREATE TABLE simulated_payment (
    payment_id       text    NOT NULL,
    currency         text    NOT NULL,
    authorised_cents bigint,           -- null: never authorised
    captured_cents   bigint,           -- null: not captured yet
    refunded_cents   bigint  NOT NULL,
    cancelled        boolean NOT NULL,
    refunds_refused  int     NOT NULL,
    version          bigint  NOT NULL,
    CONSTRAINT simulated_payment_key PRIMARY KEY (payment_id),
    CONSTRAINT simulated_payment_adds_up
        CHECK (0 <= refunded_cents AND refunded_cents <= coalesce(captured_cents, 0)
               AND (captured_cents IS NULL OR captured_cents <= coalesce(authorised_cents, -1)))
);

GRANT SELECT, INSERT ON simulated_payment TO holdfast_service;
GRANT UPDATE (authorised_cents, captured_cents, refunded_cents, cancelled, refunds_refused, version)
    ON simulated_payment TO holdfast_service;
GRANT SELECT ON simulated_payment TO holdfast_auditor;

CREATE TABLE simulated_call (
    call_id     text        NOT NULL,
    payment_id  text        NOT NULL,
    step        text        NOT NULL,
    is_done     boolean     NOT NULL,
    moved_cents bigint      NOT NULL,
    currency    text        NOT NULL,
    detail      text        NOT NULL, -- the reference, or the reason of the refusal
    asked       int         NOT NULL, -- the number of times the call was received
    told_at     timestamptz,          -- until this time the simulator answers "a notice will come"
    made_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT simulated_call_key PRIMARY KEY (call_id),
    CONSTRAINT simulated_call_declined_moves_nothing CHECK (is_done OR moved_cents = 0)
);

GRANT SELECT, INSERT ON simulated_call TO holdfast_service;
GRANT UPDATE (asked) ON simulated_call TO holdfast_service;
GRANT SELECT ON simulated_call TO holdfast_auditor;

-- Notices that the simulator has yet to send. A row is deleted after its notice was sent.
CREATE TABLE simulated_notice (
    id      bigint      GENERATED ALWAYS AS IDENTITY,
    call_id text        NOT NULL,
    times   int         NOT NULL, -- the number of times to send it, under one webhook id
    due_at  timestamptz NOT NULL,
    tries   int         NOT NULL DEFAULT 0,
    CONSTRAINT simulated_notice_key PRIMARY KEY (id)
);

CREATE INDEX simulated_notice_due ON simulated_notice (due_at);

GRANT SELECT, INSERT, DELETE ON simulated_notice TO holdfast_service;
GRANT UPDATE (due_at, tries) ON simulated_notice TO holdfast_service;
GRANT SELECT ON simulated_notice TO holdfast_auditor;
