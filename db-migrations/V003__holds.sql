-- Holds as the records keep them. Redis decides about a live hold; the drainer copies it here from
-- the journal, and a confirm ends it here. A hold is HELD and then exactly one of CONFIRMED,
-- RELEASED and EXPIRED. An ended hold never changes again, with one exception: the requester can be
-- replaced by a pseudonym when personal data is shredded. Holds are never deleted.
--
-- The drainer writes thousands of rows per second. There is no foreign key to pool, because each
-- row would read the pool row and the drainer locks that row for the whole batch anyway. There is
-- no index without a query that needs it.
--
-- Locks: creates a new table only.

CREATE TYPE hold_state AS ENUM ('HELD', 'CONFIRMED', 'RELEASED', 'EXPIRED');
CREATE TYPE hold_end_reason AS ENUM ('WINDOW', 'LEASE', 'FORCED', 'LOST');

-- All times are those of Redis.
CREATE TABLE hold (
    pool        text        NOT NULL,
    hold_id     text        NOT NULL,
    caller      text        NOT NULL,
    requester   text        NOT NULL,
    items       text[]      NOT NULL,
    quantity    bigint,
    fence       bigint      NOT NULL,
    salt        text        NOT NULL,
    token       bytea       NOT NULL, -- of the call that placed the hold
    placed_at   timestamptz NOT NULL,
    lease_until timestamptz NOT NULL, -- at placing; of an ended hold, at its end
    lease_ms    bigint      NOT NULL,
    expires_at  timestamptz NOT NULL,
    pin_no      bigint      NOT NULL DEFAULT 0,
    state       hold_state  NOT NULL,
    ended_at    timestamptz,
    end_reason  hold_end_reason,
    CONSTRAINT hold_key PRIMARY KEY (pool, hold_id),
    CONSTRAINT hold_fence_once UNIQUE (pool, fence),
    CONSTRAINT hold_fence_fits CHECK (fence BETWEEN 1 AND 9007199254740991),
    CONSTRAINT hold_quantity_positive CHECK (quantity > 0),
    CONSTRAINT hold_lease_positive CHECK (lease_ms > 0),
    CONSTRAINT hold_window_positive CHECK (placed_at < expires_at),
    CONSTRAINT hold_lease_in_window CHECK (lease_until <= expires_at),
    CONSTRAINT hold_end_dated CHECK ((state = 'HELD') = (ended_at IS NULL)),
    CONSTRAINT hold_end_reason_known CHECK ((state = 'EXPIRED') = (end_reason IS NOT NULL)),
    -- A hold that ended by a time limit did not end before that limit.
    CONSTRAINT hold_end_after_its_time
        CHECK (CASE end_reason WHEN 'WINDOW' THEN expires_at
                               WHEN 'LEASE' THEN lease_until
                               ELSE placed_at END <= ended_at),
    CONSTRAINT hold_end_after_placing CHECK (placed_at <= ended_at)
);

-- Restoring Redis reads the live holds, a small part of all rows.
CREATE INDEX hold_live ON hold (pool, fence) WHERE state = 'HELD';

-- Queries for the holds of a period. A BRIN index costs almost nothing on insert.
CREATE INDEX hold_placed_at ON hold USING brin (placed_at) WITH (autosummarize = on);

-- Shredding has to find all holds of a requester.
CREATE INDEX hold_of_requester ON hold (caller, requester);

CREATE FUNCTION hold_end_is_final() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    IF NEW IS NOT DISTINCT FROM OLD
       OR NEW.requester LIKE 'shredded:%'
          AND to_jsonb(OLD) - 'requester' = to_jsonb(NEW) - 'requester' THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'hold % is % and stays as it is', OLD.hold_id, OLD.state
        USING ERRCODE = 'check_violation', CONSTRAINT = 'hold_end_is_final';
END
$$;

-- Postgres parses the WHEN clause of a trigger anew for every statement, so the clauses are short
-- and the triggers name the columns that they guard.
CREATE TRIGGER hold_end_is_final
    BEFORE UPDATE ON hold
    FOR EACH ROW WHEN (OLD.state <> 'HELD')
    EXECUTE FUNCTION hold_end_is_final();

CREATE FUNCTION hold_origin_is_fixed() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'hold % keeps what it was placed with, and its pin number never falls', OLD.hold_id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'hold_origin_is_fixed';
END
$$;

CREATE TRIGGER hold_pin_no_never_falls
    BEFORE UPDATE OF pin_no ON hold
    FOR EACH ROW WHEN (OLD.pin_no > NEW.pin_no)
    EXECUTE FUNCTION hold_origin_is_fixed();

CREATE TRIGGER hold_origin_is_fixed
    BEFORE UPDATE OF pool, hold_id, caller, requester, items, quantity, fence, salt, token,
                     placed_at, lease_ms, expires_at ON hold
    FOR EACH ROW WHEN (
        OLD.pool <> NEW.pool OR OLD.hold_id <> NEW.hold_id OR OLD.caller <> NEW.caller
        OR OLD.requester <> NEW.requester
           AND (OLD.state = 'HELD' OR NEW.requester NOT LIKE 'shredded:%')
        OR OLD.items <> NEW.items
        OR OLD.quantity IS DISTINCT FROM NEW.quantity OR OLD.fence <> NEW.fence
        OR OLD.salt <> NEW.salt OR OLD.token <> NEW.token OR OLD.placed_at <> NEW.placed_at
        OR OLD.expires_at <> NEW.expires_at OR OLD.lease_ms <> NEW.lease_ms)
    EXECUTE FUNCTION hold_origin_is_fixed();

CREATE FUNCTION hold_is_for_ever() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'a hold is never deleted'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'hold_is_for_ever';
END
$$;

CREATE TRIGGER hold_is_for_ever
    BEFORE DELETE OR TRUNCATE ON hold
    FOR EACH STATEMENT EXECUTE FUNCTION hold_is_for_ever();

-- The triggers allow a change of requester for shredding only.
GRANT SELECT, INSERT ON hold TO holdfast_service;
GRANT UPDATE (requester, pin_no, lease_until, state, ended_at, end_reason) ON hold
    TO holdfast_service;
GRANT SELECT ON hold TO holdfast_auditor;
