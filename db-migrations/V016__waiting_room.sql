-- Waiting rooms: the tickets of their queues, who was admitted in which order, and raffles. Redis
-- gives a ticket its number and its place; the journal brings tickets here. An admission exists only
-- here: sequence_cursor lets places only grow, and a place is used once.
--
-- Locks: ACCESS EXCLUSIVE on request_result for an instant; the new check reads this small table.
-- The new values of token_action lock nothing. Everything else creates new tables.

ALTER TYPE token_action ADD VALUE 'join_queue';
ALTER TYPE token_action ADD VALUE 'leave_queue';

CREATE TYPE ticket_state AS ENUM ('WAITING', 'LEFT', 'EXPIRED');

-- An admitted ticket stays WAITING here; its admission is the row below. There is no foreign key to
-- pool, for the same reason as in journal.
CREATE TABLE ticket (
    pool      text         NOT NULL,
    number    bigint       NOT NULL,
    place     bigint       NOT NULL, -- the number, unless a raffle or a loss of Redis gave another
    caller    text         NOT NULL,
    requester text         NOT NULL,
    seal      text         NOT NULL,
    joined_at timestamptz  NOT NULL,
    state     ticket_state NOT NULL,
    ended_at  timestamptz,
    requeued  boolean      NOT NULL, -- it lost its place with Redis
    CONSTRAINT ticket_key PRIMARY KEY (pool, number),
    CONSTRAINT ticket_number_fits CHECK (number BETWEEN 1 AND 9007199254740991),
    CONSTRAINT ticket_place_fits CHECK (place BETWEEN 1 AND 9007199254740991),
    CONSTRAINT ticket_end_has_a_time CHECK ((state = 'WAITING') = (ended_at IS NULL))
);

CREATE INDEX ticket_waiting ON ticket (pool, place) WHERE state = 'WAITING';
CREATE INDEX ticket_of_requester ON ticket (caller, requester);

CREATE FUNCTION ticket_origin_is_fixed() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'ticket % of pool % stays as it was given, and ends once', OLD.number, OLD.pool
        USING ERRCODE = 'check_violation', CONSTRAINT = 'ticket_origin_is_fixed';
END
$$;

CREATE TRIGGER ticket_origin_is_fixed
    BEFORE UPDATE ON ticket
    FOR EACH ROW WHEN (
        OLD.pool <> NEW.pool OR OLD.number <> NEW.number OR OLD.caller <> NEW.caller
        OR OLD.requester <> NEW.requester AND NEW.requester NOT LIKE 'shredded:%'
        OR OLD.seal <> NEW.seal OR OLD.joined_at <> NEW.joined_at
        OR OLD.requeued AND NOT NEW.requeued
        OR OLD.state <> 'WAITING'
           AND (OLD.state <> NEW.state OR OLD.place <> NEW.place OR OLD.ended_at <> NEW.ended_at))
    EXECUTE FUNCTION ticket_origin_is_fixed();

GRANT SELECT, INSERT ON ticket TO holdfast_service;
GRANT UPDATE (place, requester, state, ended_at, requeued) ON ticket TO holdfast_service;
GRANT SELECT ON ticket TO holdfast_auditor;

-- An admission can come here before the line of its ticket has.
CREATE TABLE admission (
    pool        text        NOT NULL,
    number      bigint      NOT NULL,
    place       bigint      NOT NULL, -- the sequence in which admissions are committed
    caller      text        NOT NULL,
    requester   text        NOT NULL,
    admitted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    pass_until  timestamptz NOT NULL,
    revoked_at  timestamptz,
    CONSTRAINT admission_key PRIMARY KEY (pool, number),
    CONSTRAINT admission_place_once UNIQUE (pool, place),
    CONSTRAINT admission_of_pool FOREIGN KEY (pool) REFERENCES pool (pool),
    CONSTRAINT admission_pass_is_open CHECK (pass_until > admitted_at)
);

CREATE INDEX admission_by_time ON admission (pool, admitted_at);
CREATE INDEX admission_by_pass ON admission (pool, pass_until);
CREATE INDEX admission_of_requester ON admission (caller, requester);

CREATE FUNCTION admission_is_fixed() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'the admission of ticket % of pool % stays; it can be revoked, once',
        OLD.number, OLD.pool
        USING ERRCODE = 'check_violation', CONSTRAINT = 'admission_is_fixed';
END
$$;

CREATE TRIGGER admission_is_fixed
    BEFORE UPDATE ON admission
    FOR EACH ROW WHEN (
        (OLD.pool, OLD.number, OLD.place, OLD.caller, OLD.admitted_at, OLD.pass_until)
            IS DISTINCT FROM
            (NEW.pool, NEW.number, NEW.place, NEW.caller, NEW.admitted_at, NEW.pass_until)
        OR OLD.requester <> NEW.requester AND NEW.requester NOT LIKE 'shredded:%'
        OR OLD.revoked_at IS DISTINCT FROM NEW.revoked_at AND OLD.revoked_at IS NOT NULL)
    EXECUTE FUNCTION admission_is_fixed();

GRANT SELECT, INSERT ON admission TO holdfast_service;
GRANT UPDATE (requester, revoked_at) ON admission TO holdfast_service;
GRANT SELECT ON admission TO holdfast_auditor;

-- The draw of a pool: its seed and which tickets took part. The hash of the seed is published from
-- the first ticket on, so the row exists before the draw, and drawn_at tells whether it took place.
CREATE TABLE raffle (
    pool        text        NOT NULL,
    seed        bytea       NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    drawn_at    timestamptz,
    arranged_at timestamptz, -- Redis has the places; nobody is admitted before
    last_number bigint, -- the participants are the tickets that waited up to this number
    tickets     bigint,
    CONSTRAINT raffle_key PRIMARY KEY (pool),
    CONSTRAINT raffle_of_pool FOREIGN KEY (pool) REFERENCES pool (pool),
    CONSTRAINT raffle_seed_is_256_bits CHECK (length(seed) = 32),
    CONSTRAINT raffle_is_whole
        CHECK ((drawn_at IS NULL) = (last_number IS NULL)
               AND (drawn_at IS NULL) = (tickets IS NULL)
               AND (arranged_at IS NULL OR drawn_at IS NOT NULL))
);

CREATE FUNCTION raffle_is_drawn_once() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'the raffle of pool % is drawn once, with the seed that was published', OLD.pool
        USING ERRCODE = 'check_violation', CONSTRAINT = 'raffle_is_drawn_once';
END
$$;

CREATE TRIGGER raffle_is_drawn_once
    BEFORE UPDATE ON raffle
    FOR EACH ROW WHEN (
        OLD.seed <> NEW.seed OR OLD.pool <> NEW.pool OR OLD.created_at <> NEW.created_at
        OR OLD.arranged_at IS NOT NULL
        OR OLD.drawn_at IS NOT NULL
           AND (OLD.drawn_at, OLD.last_number, OLD.tickets)
               IS DISTINCT FROM (NEW.drawn_at, NEW.last_number, NEW.tickets))
    EXECUTE FUNCTION raffle_is_drawn_once();

GRANT SELECT, INSERT ON raffle TO holdfast_service;
GRANT UPDATE (drawn_at, arranged_at, last_number, tickets) ON raffle TO holdfast_service;
GRANT SELECT ON raffle TO holdfast_auditor;

-- What the draw gave each participant. Tickets may be requeued later; these rows stay, so that
-- anybody can compute the draw again.
CREATE TABLE raffle_place (
    pool   text   NOT NULL,
    number bigint NOT NULL,
    place  bigint NOT NULL,
    CONSTRAINT raffle_place_key PRIMARY KEY (pool, number),
    CONSTRAINT raffle_place_once UNIQUE (pool, place)
);

CREATE TRIGGER raffle_place_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON raffle_place
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

GRANT SELECT, INSERT ON raffle_place TO holdfast_service;
GRANT SELECT ON raffle_place TO holdfast_auditor;

-- The words of the routes that admit tickets and revoke passes.
ALTER TABLE request_result
    DROP CONSTRAINT request_result_route_known,
    ADD CONSTRAINT request_result_route_known
        CHECK (route IN ('create_pool', 'change_pool', 'create_key', 'revoke_key',
                         'create_authorization', 'create_checkout', 'resume_checkout',
                         'void_commitment', 'create_webhook', 'delete_webhook', 'replay_webhook',
                         'shred_subject', 'append_stream', 'return_reservation', 'admit_tickets',
                         'revoke_pass'));
