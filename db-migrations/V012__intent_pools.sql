-- The functions that stand for redis-scripts/pool/ and redis-scripts/journal/, in the mode without
-- Redis. Their contracts are the headers of those scripts.
--
-- Locks: creates functions only.

CREATE FUNCTION intent_pool_seed(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life    CONSTANT intent_pool := intent_enter_alone(of_pool);
    epoch   CONSTANT bigint := args[2];
    drained CONSTANT bigint := args[4];
BEGIN
    IF life.epoch = epoch AND life.run_id = args[1] THEN
        RETURN CASE WHEN life.state = 'OPEN' THEN ARRAY ['OPEN'] ELSE ARRAY ['SEEDING', args[1]] END;
    ELSIF life.epoch >= epoch THEN
        RETURN ARRAY ['SUPERSEDED', life.epoch::text];
    END IF;
    INSERT INTO intent_pool AS p (pool, state, run_id, epoch, base, line_ms, line_no)
    VALUES (of_pool, 'SEEDING', args[1], epoch, nextval('intent_fence'), drained + 1, -1)
        ON CONFLICT ON CONSTRAINT intent_pool_key
        DO UPDATE SET state = EXCLUDED.state, run_id = EXCLUDED.run_id, epoch = EXCLUDED.epoch,
                      base = EXCLUDED.base,
                      line_no = CASE WHEN p.line_ms > drained THEN p.line_no ELSE -1 END,
                      line_ms = greatest(p.line_ms, EXCLUDED.line_ms);
    PERFORM intent_note(of_pool, epoch, intent_now(), E'\t\t\t\t', E'SEEDING\t' || args[5]);
    UPDATE intent_item i SET version = -1, status = '' WHERE i.pool = of_pool;
    INSERT INTO intent_tally AS t (pool, place) SELECT of_pool, generate_series(0, 15)
        ON CONFLICT ON CONSTRAINT intent_tally_key DO UPDATE SET version = 0, held = 0, sold = 0;
    RETURN ARRAY ['SEEDING', args[1]];
END
$$;

CREATE FUNCTION intent_pool_load(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life CONSTANT intent_pool := intent_enter_alone(of_pool);
BEGIN
    IF intent_superseded(life, args[1], args[2]) THEN
        RETURN ARRAY ['SUPERSEDED'];
    END IF;
    PERFORM intent_count(of_pool, 0, 0, (intent_learn(of_pool, args[3:], false)).solds);
    RETURN ARRAY ['LOADED'];
END
$$;

CREATE FUNCTION intent_pool_survivors(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life CONSTANT intent_pool := intent_enter_alone(of_pool);
BEGIN
    IF intent_superseded(life, args[1], args[2]) THEN
        RETURN ARRAY ['SUPERSEDED'];
    END IF;
    RETURN ARRAY ['SURVIVORS'] || coalesce(
        (SELECT array_agg(h.fence::text ORDER BY h.due_ms, h.fence)
           FROM (SELECT f.fence, f.due_ms FROM intent_hold f
                  WHERE f.pool = of_pool AND f.state = 'HELD'
                  ORDER BY f.due_ms, f.fence
                 OFFSET args[3]::int
                  LIMIT nullif(args[4]::int, -1) - args[3]::int + 1) AS h),
        '{}');
END
$$;

CREATE FUNCTION intent_pool_keep(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life   CONSTANT intent_pool := intent_enter_alone(of_pool);
    now_ms CONSTANT bigint := intent_now();
    hold   intent_hold;
    helds  int := 0;
BEGIN
    IF intent_superseded(life, args[1], args[2]) THEN
        RETURN ARRAY ['SUPERSEDED'];
    END IF;
    FOR k IN 3 .. cardinality(args) BY 2 LOOP
        SELECT * INTO hold FROM intent_hold h WHERE h.pool = of_pool AND h.fence = args[k]::bigint;
        IF hold.state = 'HELD' AND args[k + 1] = 'KEEP' THEN
            IF hold.counted < life.epoch THEN
                helds := helds + cardinality(hold.items);
                IF NOT EXISTS (SELECT 1 FROM intent_item i
                                WHERE i.pool = of_pool AND i.item = ANY (hold.items)
                                  AND i.fence <> hold.fence) THEN
                    hold.lease_until_ms := greatest(
                        least(now_ms + hold.lease_ms, hold.expires_ms), hold.lease_until_ms);
                    hold.due_ms := hold.lease_until_ms;
                    UPDATE intent_item i SET fence = hold.fence
                     WHERE i.pool = of_pool AND i.item = ANY (hold.items) AND i.fence IS NULL;
                END IF;
                UPDATE intent_hold h
                   SET counted = life.epoch, lease_until_ms = hold.lease_until_ms,
                       due_ms = hold.due_ms
                 WHERE h.pool = of_pool AND h.fence = hold.fence;
            END IF;
        ELSE
            UPDATE intent_item i SET fence = NULL
             WHERE i.pool = of_pool AND i.item = ANY (hold.items) AND i.fence = hold.fence;
            DELETE FROM intent_hold h WHERE h.pool = of_pool AND h.fence = hold.fence;
        END IF;
    END LOOP;
    PERFORM intent_count(of_pool, 0, helds, 0);
    RETURN ARRAY ['KEPT'];
END
$$;

CREATE FUNCTION intent_pool_restore(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life     CONSTANT intent_pool := intent_enter_alone(of_pool);
    now_ms   CONSTANT bigint := intent_now();
    old      text[];
    hold     intent_hold;
    rival    intent_hold;
    rivals   bigint[];
    helds    int := 0;
    versions int := 0;
    restored int := 0;
    lost     int := 0;
BEGIN
    IF intent_superseded(life, args[1], args[2]) THEN
        RETURN ARRAY ['SUPERSEDED'];
    END IF;
    FOR k IN 3 .. cardinality(args) LOOP
        old := string_to_array(args[k], E'\t');
        CONTINUE WHEN EXISTS (
            SELECT 1 FROM intent_hold h WHERE h.pool = of_pool AND h.fence = old[2]::bigint);
        SELECT coalesce(array_agg(DISTINCT h.fence), '{}') INTO rivals
          FROM intent_item i JOIN intent_hold h ON h.pool = i.pool AND h.fence = i.fence
         WHERE i.pool = of_pool AND i.item = ANY (string_to_array(old[14], E'\n'))
           AND h.state = 'HELD';
        INSERT INTO intent_hold AS h (pool, fence, state, salt, caller, requester, placed_ms,
                                      lease_until_ms, expires_ms, lease_ms, pin_no, token, items,
                                      due_ms, counted)
        VALUES (of_pool, old[2]::bigint, 'HELD', old[3], old[4], old[5], old[6]::bigint,
                old[7]::bigint, old[8]::bigint, old[9]::bigint, old[12]::bigint, old[13],
                string_to_array(old[14], E'\n'), old[7]::bigint, life.epoch)
        RETURNING h.* INTO hold;
        IF hold.fence < ANY (rivals) THEN
            PERFORM intent_lapse(hold, 'LOST', life.epoch, now_ms);
            lost := lost + 1;
            CONTINUE;
        END IF;
        UPDATE intent_hold h
           SET lease_until_ms = least(now_ms + h.lease_ms, h.expires_ms),
               due_ms = least(now_ms + h.lease_ms, h.expires_ms)
         WHERE h.pool = of_pool AND h.fence = hold.fence;
        FOR rival IN SELECT * FROM intent_hold h
                      WHERE h.pool = of_pool AND h.fence = ANY (rivals) FOR UPDATE LOOP
            PERFORM intent_lapse(rival, 'LOST', life.epoch, now_ms);
            helds := helds - cardinality(rival.items);
            versions := versions + 1;
        END LOOP;
        INSERT INTO intent_item AS i (pool, item, version, status, fence)
        SELECT of_pool, unnest(hold.items), -1, '', hold.fence
            ON CONFLICT ON CONSTRAINT intent_item_key DO UPDATE SET fence = EXCLUDED.fence;
        helds := helds + cardinality(hold.items);
        restored := restored + 1;
    END LOOP;
    PERFORM intent_count(of_pool, versions, helds, 0);
    RETURN ARRAY ['RESTORED', restored::text, lost::text];
END
$$;

CREATE FUNCTION intent_pool_recall(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life   CONSTANT intent_pool := intent_enter_alone(of_pool);
    now_ms CONSTANT bigint := intent_now();
BEGIN
    IF intent_superseded(life, args[1], args[2]) THEN
        RETURN ARRAY ['SUPERSEDED'];
    END IF;
    FOR k IN 2 .. cardinality(keys) LOOP
        IF args[2 * k]::bigint > now_ms THEN
            PERFORM intent_keep(
                of_pool, keys[k], args[2 * k - 1], now_ms, args[2 * k]::bigint - now_ms);
        END IF;
    END LOOP;
    RETURN ARRAY ['RECALLED'];
END
$$;

CREATE FUNCTION intent_pool_open(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life CONSTANT intent_pool := intent_enter_alone(of_pool);
BEGIN
    IF (life.run_id, life.epoch) IS DISTINCT FROM (args[1], args[2]::bigint) THEN
        RETURN ARRAY ['SUPERSEDED'];
    ELSIF life.state <> 'OPEN' THEN
        UPDATE intent_pool p SET state = 'OPEN' WHERE p.pool = of_pool;
        PERFORM intent_note(of_pool, life.epoch, intent_now(), E'\t\t\t\t', E'OPENED\t');
    END IF;
    RETURN ARRAY ['OPEN'];
END
$$;

CREATE FUNCTION intent_pool_count(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life intent_pool;
BEGIN
    SELECT * INTO life FROM intent_pool p WHERE p.pool = of_pool;
    RETURN coalesce(
        intent_unseeded(life, args[1]),
        (SELECT ARRAY ['COUNTS', life.epoch::text, sum(t.version)::text, sum(t.held)::text,
                       sum(t.sold)::text] FROM intent_tally t WHERE t.pool = of_pool));
END
$$;

-- One statement reads how the pool stands and its holds, so that both are of one moment.
CREATE FUNCTION intent_pool_held(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life   intent_pool;
    now_ms CONSTANT bigint := intent_now();
BEGIN
    SELECT * INTO life FROM intent_pool p WHERE p.pool = of_pool;
    IF intent_unseeded(life, args[1]) IS NOT NULL THEN
        RETURN intent_unseeded(life, args[1]);
    END IF;
    RETURN (
        WITH part AS MATERIALIZED (
            SELECT h AS hold FROM intent_hold h
             WHERE h.pool = of_pool AND h.state = 'HELD'
             ORDER BY h.due_ms, h.fence
            OFFSET args[2]::int LIMIT args[3]::int - args[2]::int + 1)
        SELECT ARRAY ['ITEMS', life.epoch::text, sum(t.version)::text, sum(t.held)::text,
                      sum(t.sold)::text, (SELECT count(*)::text FROM part),
                      coalesce((SELECT string_agg(array_to_string((p.hold).items, E'\n'), E'\n')
                                  FROM part p WHERE intent_lives(p.hold, now_ms)), '')]
          FROM intent_tally t WHERE t.pool = of_pool);
END
$$;

CREATE FUNCTION intent_pool_compare(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life   CONSTANT intent_pool := intent_enter(of_pool);
    learnt record;
BEGIN
    IF intent_unseeded(life, args[1]) IS NOT NULL THEN
        RETURN intent_unseeded(life, args[1]);
    END IF;
    learnt := intent_learn(of_pool, args[2:], true);
    IF learnt.news > 0 THEN
        PERFORM intent_count(of_pool, learnt.news, 0, learnt.solds);
    END IF;
    RETURN ARRAY ['COMPARED', learnt.news::text];
END
$$;

CREATE FUNCTION intent_pool_vitals(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life   intent_pool;
    now_ms CONSTANT bigint := intent_now();
BEGIN
    SELECT * INTO life FROM intent_pool p WHERE p.pool = of_pool;
    IF intent_unseeded(life, args[1]) IS NOT NULL THEN
        RETURN ARRAY ['UNSEEDED'];
    END IF;
    RETURN (
        SELECT ARRAY ['VITALS', life.epoch::text,
                      (SELECT count(*)::text FROM intent_journal j WHERE j.pool = of_pool),
                      count(*)::text, coalesce(min(h.due_ms), now_ms)::text,
                      coalesce((SELECT j.written_ms FROM intent_journal j WHERE j.pool = of_pool
                                 ORDER BY j.n LIMIT 1), now_ms)::text,
                      now_ms::text]
          FROM intent_hold h WHERE h.pool = of_pool AND h.state = 'HELD');
END
$$;

-- Waits until the calls have ended that are under way in a pool now: whatever they wrote can be seen
-- then. Those that begin meanwhile are not waited for. False if it takes too long.
CREATE FUNCTION intent_await_calls(of_pool text) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
    place    CONSTANT bigint := hashtext(of_pool)::bigint & 4294967295;
    deadline CONSTANT timestamptz := clock_timestamp() + interval '3 seconds';
    calls    CONSTANT text[] := ARRAY (
        SELECT l.virtualtransaction FROM pg_locks l
         WHERE l.locktype = 'advisory' AND l.classid::bigint = 1768846441 AND l.objid::bigint = place
           AND l.granted AND l.pid <> pg_backend_pid());
BEGIN
    WHILE EXISTS (
        SELECT 1 FROM pg_locks l
         WHERE l.locktype = 'advisory' AND l.classid::bigint = 1768846441 AND l.objid::bigint = place
           AND l.virtualtransaction = ANY (calls)) LOOP
        IF clock_timestamp() > deadline THEN
            RETURN false;
        END IF;
        PERFORM pg_sleep(0.002);
    END LOOP;
    RETURN true;
END
$$;

-- Numbers lines behind all that were numbered before: up to a grant before which there is no other
-- that cannot be seen yet.
CREATE FUNCTION intent_journal_read(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life     intent_pool;
    most     CONSTANT int := args[3];
    now_ms   CONSTANT bigint := intent_now();
    fresh    bigint;
    top      bigint;
    is_whole boolean := false;
BEGIN
    SELECT * INTO life FROM intent_pool p WHERE p.pool = of_pool;
    IF life.run_id IS DISTINCT FROM args[1] THEN
        RETURN ARRAY ['UNSEEDED'];
    END IF;
    IF EXISTS (SELECT 1 FROM intent_journal j WHERE j.pool = of_pool AND j.id_ms IS NULL) THEN
        SELECT 2 * last_value + 1 INTO top FROM intent_fence;
        is_whole := intent_await_calls(of_pool);
    END IF;
    IF is_whole THEN
        SELECT * INTO life FROM intent_pool p WHERE p.pool = of_pool FOR UPDATE;
        IF life.run_id <> args[1] THEN
            RETURN ARRAY ['UNSEEDED'];
        END IF;
        IF now_ms > life.line_ms THEN
            life.line_ms := now_ms;
            life.line_no := -1;
        END IF;
        WITH seen AS (
            SELECT f.n, row_number() OVER (ORDER BY f.rank, f.n) AS place
              FROM (SELECT j.rank, j.n FROM intent_journal j
                     WHERE j.pool = of_pool AND j.id_ms IS NULL AND j.rank <= top
                     ORDER BY j.rank, j.n LIMIT most) AS f)
        UPDATE intent_journal j SET id_ms = life.line_ms, id_no = life.line_no + seen.place
          FROM seen WHERE j.pool = of_pool AND j.n = seen.n;
        GET DIAGNOSTICS fresh = ROW_COUNT;
        UPDATE intent_pool p SET line_ms = life.line_ms, line_no = life.line_no + fresh
         WHERE p.pool = of_pool;
    END IF;
    RETURN ARRAY ['LINES', life.epoch::text] || coalesce(
        (SELECT array_agg(part.word ORDER BY l.id_ms, l.id_no, part.place)
           FROM (SELECT j.id_ms, j.id_no, j.line FROM intent_journal j
                  WHERE j.pool = of_pool AND j.id_ms IS NOT NULL
                    AND (j.id_ms, j.id_no)
                        > (split_part(args[2], '-', 1)::bigint, split_part(args[2], '-', 2)::bigint)
                  ORDER BY j.id_ms, j.id_no LIMIT most) AS l,
        LATERAL (VALUES (1, l.id_ms || '-' || l.id_no), (2, l.line)) AS part (place, word)),
        '{}');
END
$$;

-- Also takes away what tokens were spent on, once their window is over.
CREATE FUNCTION intent_journal_trim(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life intent_pool;
BEGIN
    SELECT * INTO life FROM intent_pool p WHERE p.pool = of_pool;
    IF life.run_id IS DISTINCT FROM args[1] THEN
        RETURN ARRAY ['UNSEEDED'];
    END IF;
    DELETE FROM intent_journal j
     WHERE j.pool = of_pool AND j.id_ms IS NOT NULL
       AND (j.id_ms, j.id_no)
           < (split_part(args[2], '-', 1)::bigint, split_part(args[2], '-', 2)::bigint);
    DELETE FROM intent_hold h
     WHERE h.pool = of_pool AND h.state <> 'HELD'
       AND h.fence IN (SELECT intent_fence_in(k) FROM unnest(keys[3:]) AS k);
    DELETE FROM intent_token t
     WHERE t.pool = of_pool
       AND t.key IN (SELECT e.key FROM intent_token e
                      WHERE e.pool = of_pool AND e.until_ms <= intent_now()
                      ORDER BY e.until_ms LIMIT 1000 FOR UPDATE SKIP LOCKED);
    RETURN ARRAY ['TRIMMED'];
END
$$;

CREATE FUNCTION intent_journal_align(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    ms CONSTANT bigint := split_part(args[2], '-', 1);
    no CONSTANT bigint := split_part(args[2], '-', 2);
BEGIN
    IF NOT EXISTS (SELECT 1 FROM intent_pool p WHERE p.pool = of_pool AND p.run_id = args[1]) THEN
        RETURN ARRAY ['UNSEEDED'];
    END IF;
    UPDATE intent_pool p SET line_ms = ms, line_no = no
     WHERE p.pool = of_pool AND (p.line_ms, p.line_no) < (ms, no);
    RETURN ARRAY ['ALIGNED'];
END
$$;
