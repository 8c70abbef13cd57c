-- The journal: every line that the Redis scripts wrote, kept for good. The drainer copies the
-- lines, thousands per second, and applies them to hold and token_result in the same transaction.
-- There is no foreign key to pool, because each line would read the pool row and the drainer locks
-- that row for the whole batch anyway. There is no index without a query that needs it.
--
-- Locks: creates new tables only.

CREATE TYPE token_action AS ENUM ('place_hold', 'confirm', 'release', 'expire');

-- recorded_at and stream_seq are the two halves of the line's id in the Redis stream. The service
-- creates a partition per month ahead of time and drops none.
CREATE TABLE journal (
    pool        text        NOT NULL,
    recorded_at timestamptz NOT NULL,
    stream_seq  bigint      NOT NULL,
    epoch       bigint      NOT NULL,
    happened_at timestamptz NOT NULL, -- the time that the script read
    action      token_action,         -- null: not caused by a call, but by a sweep or an opening
    caller      text,
    token       bytea,
    digest      text,
    window_ms   bigint,
    word        text        NOT NULL,
    fence       bigint,
    hold_id     text,
    detail      text        NOT NULL,
    CONSTRAINT journal_key PRIMARY KEY (pool, recorded_at, stream_seq)
) PARTITION BY RANGE (recorded_at);

CREATE TRIGGER journal_is_append_only -- partitions inherit a row trigger
    BEFORE UPDATE OR DELETE ON journal
    FOR EACH ROW EXECUTE FUNCTION journal_is_append_only();

CREATE TRIGGER journal_is_not_emptied -- partitions do not inherit a statement trigger
    BEFORE TRUNCATE ON journal
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

GRANT SELECT, INSERT ON journal TO holdfast_service;
GRANT SELECT ON journal TO holdfast_auditor;

CREATE TABLE journal_other PARTITION OF journal DEFAULT;

CREATE TRIGGER journal_is_not_emptied
    BEFORE TRUNCATE ON journal_other
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

-- Creates the partitions of the current month and of the months ahead, and returns how many were
-- new. It attaches a finished table, because CREATE TABLE … PARTITION OF would block writers. If
-- journal_other already has lines of a month, that month stays in journal_other: no line is moved
-- or lost.
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

-- Creating partitions is the only work of the running service that needs the rights of the owner.
-- The search path is fixed, so a caller cannot redirect the function to other tables. It names the
-- schema that is migrated, which need not be public.
DO
$$
BEGIN
    EXECUTE format(
        'ALTER FUNCTION journal_partitions(integer) SECURITY DEFINER SET search_path = %I, pg_temp',
        current_schema());
END
$$;

REVOKE ALL ON FUNCTION journal_partitions(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION journal_partitions(integer) TO holdfast_service;

SELECT journal_partitions(2);

-- How far the journal of each pool has been drained. The cursor moves in the transaction that
-- stores the lines, so each line is stored once, whichever instance drains and however often it
-- retries. The fill factor leaves room for HOT updates.
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

GRANT SELECT, INSERT ON journal_cursor TO holdfast_service;
GRANT UPDATE (stream_ms, stream_seq) ON journal_cursor TO holdfast_service;
GRANT SELECT ON journal_cursor TO holdfast_auditor;

-- Which instance does a periodic task that one instance is enough for, such as draining or purging.
-- A lease only saves work: every such task stays correct when two instances run it at once.
CREATE TABLE lease (
    name  text        NOT NULL,
    owner text        NOT NULL,
    until timestamptz NOT NULL,
    CONSTRAINT lease_key PRIMARY KEY (name)
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE, DELETE ON lease TO holdfast_service;
GRANT SELECT ON lease TO holdfast_auditor;
