-- What Redis did, for good: its journal line by line, and what follows from it, the holds and the
-- outcomes of tokens. All three are written by the drainer, thousands of lines a second, so there
-- are no foreign keys here (each would ask the pool's row once a line; the drainer holds that row
-- for the whole batch anyway) and no index without a question that needs it.
--
-- Locks: creates new tables only.

-- A hold is HELD, then exactly one of the other three for ever. Its times are those of Redis.
CREATE TABLE hold (
    pool        text        NOT NULL,
    hold_id     text        NOT NULL,
    caller      text        NOT NULL,
    requester   text        NOT NULL,
    items       text[]      NOT NULL,
    quantity    bigint,
    fence       bigint      NOT NULL,
    salt        text        NOT NULL,
    token       bytea       NOT NULL, -- of the call that placed it
    placed_at   timestamptz NOT NULL,
    lease_until timestamptz NOT NULL, -- as placed, and once it has ended, as it was then
    lease_ms    bigint      NOT NULL,
    expires_at  timestamptz NOT NULL,
    pin_no      bigint      NOT NULL DEFAULT 0,
    state       text        NOT NULL,
    ended_at    timestamptz,
    end_reason  text,
    CONSTRAINT hold_key PRIMARY KEY (pool, hold_id),
    CONSTRAINT hold_fence_once UNIQUE (pool, fence),
    CONSTRAINT hold_fence_fits CHECK (fence BETWEEN 1 AND 9007199254740991),
    CONSTRAINT hold_quantity_positive CHECK (quantity > 0),
    CONSTRAINT hold_lease_positive CHECK (lease_ms > 0),
    CONSTRAINT hold_window_positive CHECK (placed_at < expires_at),
    CONSTRAINT hold_lease_in_window CHECK (lease_until <= expires_at),
    CONSTRAINT hold_state_known CHECK (state IN ('HELD', 'CONFIRMED', 'RELEASED', 'EXPIRED')),
    CONSTRAINT hold_end_dated CHECK ((state = 'HELD') = (ended_at IS NULL)),
    CONSTRAINT hold_end_reason_known
        CHECK (CASE WHEN state = 'EXPIRED'
                    THEN end_reason IS NOT NULL AND end_reason IN ('WINDOW', 'LEASE', 'FORCED', 'LOST')
                    ELSE end_reason IS NULL END),
    -- The end comes after the beginning, and what ended by a time limit ended no earlier than it.
    CONSTRAINT hold_end_after_its_time
        CHECK (CASE end_reason WHEN 'WINDOW' THEN expires_at
                               WHEN 'LEASE' THEN lease_until
                               ELSE placed_at END <= ended_at),
    CONSTRAINT hold_end_after_placing CHECK (placed_at <= ended_at)
);

-- For restoring Redis: what is live is a small part of all that ever was.
CREATE INDEX hold_live ON hold (pool, fence) WHERE state = 'HELD';

-- "All that was held between two and four": kept as a summary of blocks, nearly free to write.
CREATE INDEX hold_placed_at ON hold USING brin (placed_at) WITH (autosummarize = on);

CREATE FUNCTION hold_end_is_final() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'hold % is % and stays as it is', OLD.hold_id, OLD.state
        USING ERRCODE = 'check_violation', CONSTRAINT = 'hold_end_is_final';
END
$$;

CREATE TRIGGER hold_end_is_final
    BEFORE UPDATE ON hold
    FOR EACH ROW WHEN (OLD.state <> 'HELD' AND OLD.* IS DISTINCT FROM NEW.*)
    EXECUTE FUNCTION hold_end_is_final();

CREATE FUNCTION hold_origin_is_fixed() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'hold % keeps what it was placed with, and its pin number never falls', OLD.hold_id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'hold_origin_is_fixed';
END
$$;

CREATE TRIGGER hold_origin_is_fixed
    BEFORE UPDATE ON hold
    FOR EACH ROW WHEN (
        OLD.pool <> NEW.pool OR OLD.hold_id <> NEW.hold_id OR OLD.caller <> NEW.caller
        OR OLD.requester <> NEW.requester OR OLD.items <> NEW.items
        OR OLD.quantity IS DISTINCT FROM NEW.quantity OR OLD.fence <> NEW.fence
        OR OLD.salt <> NEW.salt OR OLD.token <> NEW.token OR OLD.placed_at <> NEW.placed_at
        OR OLD.expires_at <> NEW.expires_at OR OLD.lease_ms <> NEW.lease_ms
        OR OLD.pin_no > NEW.pin_no)
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

-- The outcome of every token, for as long as its window lasts; a purge takes it away afterwards.
-- What is needed for longer is in the journal.
CREATE TABLE token_result (
    pool            text        NOT NULL,
    caller          text        NOT NULL,
    token           bytea       NOT NULL,
    action          text        NOT NULL,
    digest          text        NOT NULL,
    digest_function text        NOT NULL,
    outcome         text        NOT NULL, -- word and details, divided by tabs
    recorded_at     timestamptz NOT NULL,
    window_until    timestamptz NOT NULL,
    CONSTRAINT token_result_key PRIMARY KEY (pool, caller, token),
    CONSTRAINT token_result_action_known
        CHECK (action IN ('place_hold', 'confirm', 'release', 'expire')),
    CONSTRAINT token_result_window_positive CHECK (recorded_at < window_until)
);

CREATE INDEX token_result_window ON token_result (window_until);

-- The lines of Redis' journals. recorded_at and stream_seq are the two halves of a line's id there.
-- The service makes a partition for each month ahead of time and drops none.
CREATE TABLE journal (
    pool        text        NOT NULL,
    recorded_at timestamptz NOT NULL,
    stream_seq  bigint      NOT NULL,
    epoch       bigint      NOT NULL,
    happened_at timestamptz NOT NULL, -- as the script saw it
    action      text,                 -- no call caused it: the sweep, an opening
    caller      text,
    token       bytea,
    digest      text,
    window_ms   bigint,
    word        text        NOT NULL,
    fence       bigint,
    hold_id     text,
    detail      text        NOT NULL,
    CONSTRAINT journal_key PRIMARY KEY (pool, recorded_at, stream_seq),
    CONSTRAINT journal_action_known
        CHECK (action IN ('place_hold', 'confirm', 'release', 'expire'))
) PARTITION BY RANGE (recorded_at);

CREATE FUNCTION journal_is_append_only() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'what is written in % is neither changed nor deleted', TG_TABLE_NAME
        USING ERRCODE = 'check_violation', CONSTRAINT = 'journal_is_append_only';
END
$$;

CREATE TRIGGER journal_is_append_only -- each partition inherits it
    BEFORE UPDATE OR DELETE ON journal
    FOR EACH ROW EXECUTE FUNCTION journal_is_append_only();

CREATE TRIGGER journal_is_not_emptied -- no partition inherits it, each is given its own
    BEFORE TRUNCATE ON journal
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

CREATE TABLE journal_other PARTITION OF journal DEFAULT;

CREATE TRIGGER journal_is_not_emptied
    BEFORE TRUNCATE ON journal_other
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

-- Makes the partitions of this month and of those to come, and answers how many were new. Attaching
-- a table that exists lets writers go on, which CREATE TABLE … PARTITION OF would not. A month of
-- which journal_other has lines already stays there: nothing is lost by it, and nothing is moved.
CREATE FUNCTION journal_partitions(months_ahead integer) RETURNS integer
    LANGUAGE plpgsql AS
$$
DECLARE
    made  integer := 0;
    month timestamp; -- in UTC, whatever the session's time zone is
    name  text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('journal_partitions'));
    FOR ahead IN 0..months_ahead LOOP
        month := date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead);
        name := 'journal_' || to_char(month, 'YYYY_MM');
        CONTINUE WHEN to_regclass(name) IS NOT NULL;
        BEGIN
            EXECUTE format('CREATE TABLE %I (LIKE journal INCLUDING ALL)', name);
            EXECUTE format(
                'ALTER TABLE journal ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                name, month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
            EXECUTE format(
                'CREATE TRIGGER journal_is_not_emptied BEFORE TRUNCATE ON %I '
                'FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only()', name);
            made := made + 1;
        EXCEPTION WHEN check_violation THEN
            RAISE WARNING 'journal_other has lines of the month of %; they stay there', name;
        END;
    END LOOP;
    RETURN made;
END
$$;

SELECT journal_partitions(2);

-- How far each journal of Redis has been brought here. It moves together with the lines, so a line
-- is brought once, whoever brings it and however often it is tried.
CREATE TABLE journal_cursor (
    pool       text   NOT NULL,
    stream_ms  bigint NOT NULL,
    stream_seq bigint NOT NULL,
    CONSTRAINT journal_cursor_key PRIMARY KEY (pool)
) WITH (fillfactor = 50);

CREATE FUNCTION journal_cursor_never_falls() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'the cursor of pool % stays where it is or moves forward', OLD.pool
        USING ERRCODE = 'check_violation', CONSTRAINT = 'journal_cursor_never_falls';
END
$$;

CREATE TRIGGER journal_cursor_never_falls
    BEFORE UPDATE ON journal_cursor
    FOR EACH ROW WHEN (OLD.pool <> NEW.pool
        OR (NEW.stream_ms, NEW.stream_seq) < (OLD.stream_ms, OLD.stream_seq))
    EXECUTE FUNCTION journal_cursor_never_falls();

CREATE FUNCTION journal_cursor_is_for_ever() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'a cursor is never deleted, because its journal would be brought again'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'journal_cursor_is_for_ever';
END
$$;

CREATE TRIGGER journal_cursor_is_for_ever
    BEFORE DELETE OR TRUNCATE ON journal_cursor
    FOR EACH STATEMENT EXECUTE FUNCTION journal_cursor_is_for_ever();

-- Each opening of an epoch: why, on which server, how far its predecessor's journal had been
-- brought here, and what became of its holds.
CREATE TABLE fence_epoch (
    pool       text        NOT NULL,
    epoch      bigint      NOT NULL,
    cause      text        NOT NULL,
    run_id     text        NOT NULL,
    stream_ms  bigint      NOT NULL,
    stream_seq bigint      NOT NULL,
    restored   integer     NOT NULL,
    lost       integer     NOT NULL,
    opened_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT fence_epoch_key PRIMARY KEY (pool, epoch),
    CONSTRAINT fence_epoch_of_pool FOREIGN KEY (pool) REFERENCES pool (pool),
    CONSTRAINT fence_epoch_counts CHECK (restored >= 0 AND lost >= 0)
);

CREATE TRIGGER fence_epoch_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON fence_epoch
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

-- Which instance does a piece of work that one is enough for. Only a matter of saving effort:
-- every such work stays right when two do it at once.
CREATE TABLE lease (
    name  text        NOT NULL,
    owner text        NOT NULL,
    until timestamptz NOT NULL,
    CONSTRAINT lease_key PRIMARY KEY (name)
) WITH (fillfactor = 50);
