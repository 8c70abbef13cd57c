-- What payment providers were asked, and what they have told by themselves. A call is on record
-- before it is made, so that whatever a provider tells can be compared with it; both are records and
-- stay as they were written. No card has a column here: a method is a word of the provider's.
--
-- simulated_… are the books of the payment simulator, which is no part of the service although it
-- runs in it: nothing of ours reads or writes them in a transaction of its own, and no key leads from
-- one side to the other.
--
-- Locks: creates new tables only.

CREATE TABLE payment_call (
    provider     text        NOT NULL,
    call_id      text        NOT NULL,
    payment_id   text        NOT NULL,
    step         text        NOT NULL,
    method       text        NOT NULL,
    amount_cents bigint      NOT NULL,
    currency     text        NOT NULL,
    asked_at     timestamptz NOT NULL DEFAULT clock_timestamp(), -- for the first time
    CONSTRAINT payment_call_key PRIMARY KEY (provider, call_id),
    CONSTRAINT payment_call_step_known
        CHECK (step IN ('authorise', 'capture', 'cancel', 'refund')),
    CONSTRAINT payment_call_amount_not_negative CHECK (amount_cents >= 0)
);

CREATE INDEX payment_call_of_payment ON payment_call (payment_id);

-- counts: the provider's word on that call; repeats: says the same again; differs: not what was
-- asked; contradicts: says the opposite of what counts.
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

-- One word on each call, whatever is told later.
CREATE UNIQUE INDEX payment_notice_one_counts ON payment_notice (provider, call_id)
    WHERE verdict = 'counts';

CREATE TRIGGER payment_call_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON payment_call
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

CREATE TRIGGER payment_notice_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON payment_notice
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

-- The simulator cannot lose track of money either, or nobody could tell by its books what became of
-- it: nothing is captured that was not authorised, or refunded that was not captured.
CREATE TABLE simulated_payment (
    payment_id       text    NOT NULL,
    currency         text    NOT NULL,
    authorised_cents bigint,           -- null: never
    captured_cents   bigint,           -- null: not yet
    refunded_cents   bigint  NOT NULL,
    cancelled        boolean NOT NULL,
    refunds_refused  int     NOT NULL,
    version          bigint  NOT NULL,
    CONSTRAINT simulated_payment_key PRIMARY KEY (payment_id),
    CONSTRAINT simulated_payment_adds_up
        CHECK (0 <= refunded_cents AND refunded_cents <= coalesce(captured_cents, 0)
               AND (captured_cents IS NULL OR captured_cents <= coalesce(authorised_cents, -1)))
);

CREATE TABLE simulated_call (
    call_id     text        NOT NULL,
    payment_id  text        NOT NULL,
    step        text        NOT NULL,
    is_done     boolean     NOT NULL,
    moved_cents bigint      NOT NULL,
    currency    text        NOT NULL,
    detail      text        NOT NULL, -- the reference, or why not
    asked       int         NOT NULL, -- how often
    told_at     timestamptz,          -- until then it answers that a notice will come
    made_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT simulated_call_key PRIMARY KEY (call_id),
    CONSTRAINT simulated_call_declined_moves_nothing CHECK (is_done OR moved_cents = 0)
);

-- What the simulator has yet to tell. A row goes when it has been told.
CREATE TABLE simulated_notice (
    id      bigint      GENERATED ALWAYS AS IDENTITY,
    call_id text        NOT NULL,
    times   int         NOT NULL, -- how often it is told, under one webhook id
    due_at  timestamptz NOT NULL,
    tries   int         NOT NULL DEFAULT 0,
    CONSTRAINT simulated_notice_key PRIMARY KEY (id)
);

CREATE INDEX simulated_notice_due ON simulated_notice (due_at);

GRANT SELECT, INSERT ON payment_call, payment_notice, simulated_payment, simulated_call,
                        simulated_notice
    TO holdfast_service;
GRANT UPDATE (authorised_cents, captured_cents, refunded_cents, cancelled, refunds_refused, version)
    ON simulated_payment TO holdfast_service;
GRANT UPDATE (asked) ON simulated_call TO holdfast_service;
GRANT UPDATE (due_at, tries) ON simulated_notice TO holdfast_service;
GRANT DELETE ON simulated_notice TO holdfast_service;

GRANT SELECT ON payment_call, payment_notice, simulated_payment, simulated_call, simulated_notice
    TO holdfast_auditor;
