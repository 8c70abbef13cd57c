-- The intent layer for those without Redis (HOLDFAST_INTENT=postgres): holds as rows, one row for
-- each item. What redis-scripts/ does for Redis, the functions intent_<feature>_<verb> do here, with
-- the same keys, arguments and words, each in one transaction; the header of the script of that name
-- is the contract of both. Everything above them is the same code.
--
-- Nothing here is locked for a whole pool while a hold is taken: fences come from a sequence, counts
-- from tallies of which each writer takes any that is free, and items are locked one by one.
-- The order of locks: the pool's life (shared; exclusive while it is seeded), a token, a requester,
-- holds, items in their order, a tally.
--
-- Locks: creates new tables only.

-- In which mode this database is used, and how often that has changed. A number of its own for each
-- life keeps what one mode remembers from being taken for current after the other one has been at it.
CREATE TABLE intent_life (
    one     boolean NOT NULL DEFAULT true,
    mode    text    NOT NULL,
    changes bigint  NOT NULL,
    CONSTRAINT intent_life_key PRIMARY KEY (one),
    CONSTRAINT intent_life_is_one CHECK (one),
    CONSTRAINT intent_life_mode_known CHECK (mode IN ('redis', 'postgres'))
);

INSERT INTO intent_life (mode, changes) VALUES ('redis', 0);

CREATE SEQUENCE intent_fence;

-- What `meta` is in Redis. A fence's low half counts from base on; line_ms and line_no are the id of
-- the last line that was numbered.
CREATE TABLE intent_pool (
    pool    text   NOT NULL,
    state   text   NOT NULL,
    run_id  text   NOT NULL,
    epoch   bigint NOT NULL,
    base    bigint NOT NULL,
    line_ms bigint NOT NULL,
    line_no bigint NOT NULL,
    CONSTRAINT intent_pool_key PRIMARY KEY (pool),
    CONSTRAINT intent_pool_state_known CHECK (state IN ('SEEDING', 'OPEN'))
) WITH (fillfactor = 50);

-- Version, held and sold of a pool are sums over its tallies.
CREATE TABLE intent_tally (
    pool    text   NOT NULL,
    place   int    NOT NULL,
    version bigint NOT NULL DEFAULT 0,
    held    bigint NOT NULL DEFAULT 0,
    sold    bigint NOT NULL DEFAULT 0,
    CONSTRAINT intent_tally_key PRIMARY KEY (pool, place)
) WITH (fillfactor = 30);

-- version and status as `item` has them, once they were loaded (-1: not in this life); fence of the
-- hold that has it.
CREATE TABLE intent_item (
    pool    text   NOT NULL,
    item    text   COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    status  text   NOT NULL,
    fence   bigint,
    CONSTRAINT intent_item_key PRIMARY KEY (pool, item),
    CONSTRAINT intent_item_status_known CHECK (status IN ('', 'CLAIMED', 'SOLD'))
) WITH (fillfactor = 70);

-- Moments are milliseconds, as in the records that are made of the rows.
CREATE TABLE intent_hold (
    pool           text   NOT NULL,
    fence          bigint NOT NULL,
    state          text   NOT NULL,
    salt           text   NOT NULL,
    caller         text   NOT NULL,
    requester      text   NOT NULL,
    placed_ms      bigint NOT NULL,
    lease_until_ms bigint NOT NULL,
    expires_ms     bigint NOT NULL,
    lease_ms       bigint NOT NULL,
    ended_ms       bigint,
    end_reason     text   NOT NULL DEFAULT '',
    pin_no         bigint NOT NULL DEFAULT 0,
    token          text   NOT NULL,
    items          text[] NOT NULL,
    due_ms         bigint NOT NULL, -- the end of the lease, or when to ask after the pin
    counted        bigint NOT NULL, -- the epoch that has it in its tallies
    CONSTRAINT intent_hold_key PRIMARY KEY (pool, fence),
    CONSTRAINT intent_hold_state_known
        CHECK (state IN ('HELD', 'CONFIRMED', 'RELEASED', 'EXPIRED')),
    CONSTRAINT intent_hold_lease_in_window CHECK (lease_until_ms <= expires_ms)
);

CREATE INDEX intent_hold_due ON intent_hold (pool, due_ms) WHERE state = 'HELD';
CREATE INDEX intent_hold_of ON intent_hold (pool, caller, requester) WHERE state = 'HELD';

CREATE TABLE intent_token (
    pool     text   NOT NULL,
    key      text   NOT NULL, -- tok:<caller>:<token>
    entry    text   NOT NULL,
    until_ms bigint NOT NULL,
    CONSTRAINT intent_token_key PRIMARY KEY (pool, key)
);

CREATE INDEX intent_token_elapsed ON intent_token (pool, until_ms);

-- A line is numbered by who reads it, when it can be seen: numbers that were given when it was
-- written would become visible out of their order, and the drainer's cursor would pass some by.
-- rank says in which order: of a grant twice what the sequence of fences gave it, of any other line
-- one more than twice what was given last. So grants are in the order of their fences, and whatever
-- followed from a line comes behind it.
CREATE TABLE intent_journal (
    pool       text   NOT NULL,
    n          bigint GENERATED ALWAYS AS IDENTITY,
    rank       bigint NOT NULL,
    written_ms bigint NOT NULL,
    line       text   NOT NULL,
    id_ms      bigint,
    id_no      bigint,
    CONSTRAINT intent_journal_key PRIMARY KEY (pool, n)
);

CREATE INDEX intent_journal_numbered ON intent_journal (pool, id_ms, id_no) WHERE id_ms IS NOT NULL;
CREATE INDEX intent_journal_fresh ON intent_journal (pool, rank, n) WHERE id_ms IS NULL;

GRANT SELECT, UPDATE ON intent_life TO holdfast_service;
GRANT SELECT, INSERT, UPDATE, DELETE
    ON intent_pool, intent_tally, intent_item, intent_hold, intent_token, intent_journal
    TO holdfast_service;
GRANT USAGE, SELECT ON SEQUENCE intent_fence TO holdfast_service;
GRANT SELECT
    ON intent_life, intent_pool, intent_tally, intent_item, intent_hold, intent_token, intent_journal
    TO holdfast_auditor;

CREATE FUNCTION intent_now() RETURNS bigint LANGUAGE sql VOLATILE AS
$$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

-- As place.lua writes it.
CREATE FUNCTION intent_record(hold intent_hold) RETURNS text LANGUAGE sql IMMUTABLE AS
$$
SELECT hold.state || E'\t' || hold.fence || E'\t' || hold.salt || E'\t' || hold.caller || E'\t'
       || hold.requester || E'\t' || hold.placed_ms || E'\t' || hold.lease_until_ms || E'\t'
       || hold.expires_ms || E'\t' || hold.lease_ms || E'\t' || coalesce(hold.ended_ms::text, '')
       || E'\t' || hold.end_reason || E'\t' || hold.pin_no || E'\t' || hold.token || E'\t'
       || array_to_string(hold.items, E'\n')
$$;

-- Of 'hold:<fence>'.
CREATE FUNCTION intent_fence_in(key text) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT substr(key, 6)::bigint $$;

-- Takes part in the life of a pool until the transaction ends; it does not begin anew meanwhile.
CREATE FUNCTION intent_enter(of_pool text) RETURNS intent_pool LANGUAGE plpgsql AS
$$
DECLARE
    life intent_pool;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(1768846441, hashtext(of_pool));
    SELECT * INTO life FROM intent_pool p WHERE p.pool = of_pool;
    RETURN life;
END
$$;

-- The same, alone.
CREATE FUNCTION intent_enter_alone(of_pool text) RETURNS intent_pool LANGUAGE plpgsql AS
$$
DECLARE
    life intent_pool;
BEGIN
    PERFORM pg_advisory_xact_lock(1768846441, hashtext(of_pool));
    SELECT * INTO life FROM intent_pool p WHERE p.pool = of_pool;
    RETURN life;
END
$$;

-- Null if the pool is open.
CREATE FUNCTION intent_unseeded(life intent_pool, run_id text) RETURNS text[] LANGUAGE sql IMMUTABLE AS
$$
SELECT CASE WHEN life.run_id IS NULL THEN ARRAY ['UNSEEDED', 'LOST']
            WHEN life.run_id <> $2 THEN ARRAY ['UNSEEDED', 'MOVED']
            WHEN life.state <> 'OPEN' THEN ARRAY ['UNSEEDED', 'SEEDING'] END
$$;

-- Whether a step of seeding comes too late.
CREATE FUNCTION intent_superseded(life intent_pool, run_id text, epoch text)
    RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$
SELECT (life.state, life.run_id, life.epoch) IS DISTINCT FROM ('SEEDING', $2, $3::bigint)
$$;

-- Any tally that nobody else is at.
CREATE FUNCTION intent_count(of_pool text, versions bigint, helds bigint, solds bigint)
    RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
    mine int;
BEGIN
    SELECT t.place INTO mine FROM intent_tally t
     WHERE t.pool = of_pool
     ORDER BY (t.place + pg_backend_pid()) % 16 LIMIT 1 FOR UPDATE SKIP LOCKED;
    UPDATE intent_tally t
       SET version = t.version + versions, held = t.held + helds, sold = t.sold + solds
     WHERE t.pool = of_pool AND t.place = coalesce(mine, pg_backend_pid() % 16);
END
$$;

CREATE FUNCTION intent_note(
    of_pool text, epoch bigint, now_ms bigint, call text, said text, rank bigint DEFAULT NULL)
    RETURNS void LANGUAGE sql AS
$$
INSERT INTO intent_journal (pool, rank, written_ms, line)
VALUES (of_pool, coalesce($6, (SELECT 2 * last_value + 1 FROM intent_fence)), now_ms,
        epoch || E'\t' || now_ms || E'\t' || call || E'\t' || said)
$$;

-- What shared/token.lua does first. Equal tokens wait for one another here; null means that this one
-- has not been spent.
CREATE FUNCTION intent_replay(of_pool text, key text, action text, digest text)
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    asked CONSTANT text := action || E'\t' || digest || E'\t';
    spent text;
BEGIN
    PERFORM pg_advisory_xact_lock(1768846442, hashtext(of_pool || E'\t' || intent_replay.key));
    SELECT t.entry INTO spent FROM intent_token t
     WHERE t.pool = of_pool AND t.key = intent_replay.key AND t.until_ms > intent_now();
    IF spent IS NULL OR (action = 'confirm' AND spent ~ E'^confirm\t[^\t]*\tRUNNING\t') THEN
        RETURN NULL;
    ELSIF starts_with(spent, asked) THEN
        RETURN ARRAY ['REPLAY', substr(spent, length(asked) + 1)];
    ELSIF split_part(spent, E'\t', 1) = action
        AND split_part(split_part(spent, E'\t', 2), ':', 1) <> split_part(digest, ':', 1) THEN
        RETURN ARRAY ['DRIFT', split_part(split_part(spent, E'\t', 2), ':', 1)];
    END IF;
    RETURN ARRAY ['COLLISION'];
END
$$;

-- Under its token, unless something is there whose window lasts.
CREATE FUNCTION intent_keep(of_pool text, key text, entry text, now_ms bigint, window_ms bigint)
    RETURNS void LANGUAGE sql AS
$$
INSERT INTO intent_token AS t (pool, key, entry, until_ms)
VALUES (of_pool, $2, $3, now_ms + window_ms)
    ON CONFLICT ON CONSTRAINT intent_token_key
    DO UPDATE SET entry = EXCLUDED.entry, until_ms = EXCLUDED.until_ms WHERE t.until_ms <= now_ms
$$;

-- And then: the outcome goes under its token and into the journal, once.
CREATE FUNCTION intent_remember(
    of_pool text, key text, args text[], action text, epoch bigint, now_ms bigint, said text,
    rank bigint DEFAULT NULL)
    RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM intent_keep(
        of_pool, key, action || E'\t' || args[4] || E'\t' || said, now_ms, args[5]::bigint);
    PERFORM intent_note(
        of_pool, epoch, now_ms, action || E'\t' || array_to_string(args[2:5], E'\t'), said, rank);
END
$$;

-- Ends a hold whose row the caller has locked, and frees its items; the caller counts.
CREATE FUNCTION intent_finish(hold intent_hold, state text, reason text, now_ms bigint)
    RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    ended intent_hold;
BEGIN
    UPDATE intent_item i SET fence = NULL
      FROM (SELECT f.item FROM intent_item f
             WHERE f.pool = hold.pool AND f.item = ANY (hold.items) AND f.fence = hold.fence
             ORDER BY f.item FOR UPDATE) AS freed
     WHERE i.pool = hold.pool AND i.item = freed.item;
    UPDATE intent_hold h
       SET state = intent_finish.state, ended_ms = now_ms, end_reason = reason
     WHERE h.pool = hold.pool AND h.fence = hold.fence RETURNING h.* INTO ended;
    RETURN intent_record(ended);
END
$$;

-- The same for one whose time is over, with the line of an end that no call asked for.
CREATE FUNCTION intent_lapse(hold intent_hold, reason text, epoch bigint, now_ms bigint)
    RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM intent_note(hold.pool, epoch, now_ms, E'\t\t\t\t',
                        E'EXPIRED\t' || intent_finish(hold, 'EXPIRED', reason, now_ms));
END
$$;

CREATE FUNCTION intent_elapsed_reason(hold intent_hold) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN hold.lease_until_ms = hold.expires_ms THEN 'WINDOW' ELSE 'LEASE' END $$;

-- Whether it has what it holds: its lease lasts, or it is being committed.
CREATE FUNCTION intent_lives(hold intent_hold, now_ms bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT hold.state = 'HELD' AND (hold.lease_until_ms > now_ms OR hold.pin_no % 2 = 1) $$;

-- What shared/versions.lua does: takes over the items whose version is higher than what is there, or
-- equal though the rest is not, if asked to. Answers with how many, and how many more are sold.
CREATE FUNCTION intent_learn(
    of_pool text, entries text[], is_strict boolean, OUT news bigint, OUT solds bigint)
    LANGUAGE sql AS
$$
WITH told AS (
    SELECT entries[k] AS item, split_part(entries[k + 1], ' ', 1)::bigint AS version,
           split_part(entries[k + 1], ' ', 2) AS status
      FROM generate_series(1, cardinality(entries), 2) AS k),
present AS (
    SELECT i.item, i.version, i.status FROM intent_item i
     WHERE i.pool = of_pool AND i.item IN (SELECT t.item FROM told t)
     ORDER BY i.item FOR UPDATE),
changed AS (
    SELECT t.*, coalesce(p.status, '') AS was
      FROM told t LEFT JOIN present p ON p.item = t.item
     WHERE t.version > coalesce(p.version, -1)
        OR (is_strict AND t.version = p.version AND t.status <> p.status)),
written AS (
    INSERT INTO intent_item AS i (pool, item, version, status)
    SELECT of_pool, c.item, c.version, c.status FROM changed c
        ON CONFLICT ON CONSTRAINT intent_item_key
        DO UPDATE SET version = EXCLUDED.version, status = EXCLUDED.status)
SELECT count(*), coalesce(sum((c.status = 'SOLD')::int - (c.was = 'SOLD')::int), 0) FROM changed c
$$;
