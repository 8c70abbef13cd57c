-- The functions that stand for redis-scripts/hold/, in the mode without Redis. Their contracts are
-- the headers of those scripts.
--
-- Locks: creates functions only.

-- Items that somebody else is at are waited for, holding nothing, and looked at again: a refusal has
-- to be true, and whoever is at them may yet come to nothing.
CREATE FUNCTION intent_await_items(of_pool text, wanted text[], since_ms bigint)
    RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
    IF intent_now() - since_ms > coalesce(
        nullif(extract(epoch FROM current_setting('lock_timeout')::interval) * 1000, 0), 2000) THEN
        RAISE EXCEPTION 'items of pool % are too much asked for', of_pool
            USING ERRCODE = 'lock_not_available';
    END IF;
    PERFORM 1 FROM intent_item i WHERE i.pool = of_pool AND i.item = ANY (wanted)
      ORDER BY i.item FOR UPDATE;
    RAISE EXCEPTION 'free by now' USING ERRCODE = 'HF002';
EXCEPTION WHEN SQLSTATE 'HF002' THEN NULL; -- with which the locks are gone
END
$$;

-- The hold comes into being, after the lapsed ones in its way have ended. Null, and nothing done, if
-- somebody else is at an item or at one of those holds.
CREATE FUNCTION intent_grant(
    life intent_pool, args text[], wanted text[], lapsed bigint[], now_ms bigint)
    RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    hold  intent_hold;
    count CONSTANT int := cardinality(wanted);
    ended int := 0;
    freed int := 0;
    seq   bigint;
BEGIN
    FOR hold IN SELECT * FROM intent_hold h
                 WHERE h.pool = life.pool AND h.fence = ANY (lapsed) AND h.state = 'HELD'
                   AND NOT intent_lives(h, now_ms)
                 ORDER BY h.fence FOR UPDATE SKIP LOCKED LOOP
        PERFORM intent_lapse(hold, intent_elapsed_reason(hold), life.epoch, now_ms);
        ended := ended + 1;
        freed := freed + cardinality(hold.items);
    END LOOP;
    IF ended < cardinality(lapsed) OR count <> (
        SELECT count(*) FROM (SELECT 1 FROM intent_item i
                               WHERE i.pool = life.pool AND i.item = ANY (wanted)
                                 AND i.fence IS NULL AND i.status = ''
                               ORDER BY i.item FOR UPDATE SKIP LOCKED) AS locked) THEN
        RAISE EXCEPTION 'somebody else is at it' USING ERRCODE = 'HF001';
    END IF;
    seq := nextval('intent_fence') - life.base;
    IF seq > 4294967295 THEN
        RAISE EXCEPTION 'the epoch has no more fences' USING ERRCODE = 'HF003';
    END IF;
    INSERT INTO intent_hold AS h (pool, fence, state, salt, caller, requester, placed_ms,
                                  lease_until_ms, expires_ms, lease_ms, token, items, due_ms, counted)
    VALUES (life.pool, life.epoch * 4294967296 + seq, 'HELD', args[10], args[2], args[6], now_ms,
            now_ms + least(args[7]::bigint, args[8]::bigint), now_ms + args[8]::bigint,
            args[7]::bigint, args[3], wanted,
            now_ms + least(args[7]::bigint, args[8]::bigint), life.epoch)
    RETURNING h.* INTO hold;
    UPDATE intent_item i SET fence = hold.fence WHERE i.pool = life.pool AND i.item = ANY (wanted);
    PERFORM intent_count(life.pool, ended + 1, count - freed, 0);
    RETURN intent_record(hold);
EXCEPTION
    WHEN SQLSTATE 'HF001' THEN RETURN NULL;
    WHEN SQLSTATE 'HF003' THEN RETURN 'FULL';
END
$$;

-- Of the line of a grant; null where nothing was granted.
CREATE FUNCTION intent_rank(life intent_pool, record text) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT 2 * (split_part(record, E'\t', 2)::bigint % 4294967296 + life.base) $$;

-- How many the requester holds; others of the same requester wait until this call has ended.
CREATE FUNCTION intent_holds_of(of_pool text, caller text, requester text, but bigint[])
    RETURNS bigint LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM pg_advisory_xact_lock(
        1768846443, hashtext(of_pool || E'\t' || $2 || E'\t' || $3));
    RETURN (SELECT count(*) FROM intent_hold h
             WHERE h.pool = of_pool AND h.caller = $2 AND h.requester = $3 AND h.state = 'HELD'
               AND h.fence <> ALL (but));
END
$$;

CREATE FUNCTION intent_hold_place(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life   CONSTANT intent_pool := intent_enter(of_pool);
    wanted CONSTANT text[] := args[11:];
    since  bigint;
    now_ms bigint;
    seen   record;
    own    intent_hold;
    reply  text[];
    record text;
BEGIN
    reply := intent_unseeded(life, args[1]);
    reply := coalesce(reply, intent_replay(of_pool, keys[2], 'place_hold', args[4]));
    IF reply IS NOT NULL THEN
        RETURN reply;
    END IF;
    since := intent_now();
    LOOP
        now_ms := intent_now();
        SELECT array_agg(w.item ORDER BY w.n) FILTER (WHERE coalesce(i.version, -1) < 0) AS unknown,
               array_agg(w.item ORDER BY w.n)
                   FILTER (WHERE intent_lives(h, now_ms) OR i.status <> '') AS taken,
               count(*) FILTER (WHERE intent_lives(h, now_ms)) AS held,
               min(h.fence) FILTER (WHERE intent_lives(h, now_ms)) AS first,
               max(h.fence) FILTER (WHERE intent_lives(h, now_ms)) AS last,
               coalesce(array_agg(DISTINCT h.fence) FILTER (WHERE NOT intent_lives(h, now_ms)),
                        '{}') AS lapsed
          INTO seen
          FROM unnest(wanted) WITH ORDINALITY AS w (item, n)
          LEFT JOIN intent_item i ON i.pool = of_pool AND i.item = w.item
          LEFT JOIN intent_hold h ON h.pool = of_pool AND h.fence = i.fence AND h.state = 'HELD';
        IF seen.held = cardinality(wanted) AND seen.first = seen.last THEN
            SELECT * INTO own FROM intent_hold h WHERE h.pool = of_pool AND h.fence = seen.first;
        END IF;
        IF seen.unknown IS NOT NULL THEN
            reply := ARRAY ['NO_SUCH_ITEM', array_to_string(seen.unknown, E'\n')];
        ELSIF own.state = 'HELD' AND own.caller = args[2] AND own.requester = args[6]
            AND cardinality(own.items) = cardinality(wanted) THEN
            reply := ARRAY ['SAME', intent_record(own)];
        ELSIF seen.taken IS NOT NULL THEN
            reply := ARRAY ['TAKEN', array_to_string(seen.taken, E'\n')];
        ELSIF intent_holds_of(of_pool, args[2], args[6], seen.lapsed) >= args[9]::bigint THEN
            reply := ARRAY ['LIMIT', args[9]];
        ELSE
            record := intent_grant(life, args, wanted, seen.lapsed, now_ms);
            IF record = 'FULL' THEN
                RETURN ARRAY ['UNSEEDED', 'FULL'];
            ELSIF record IS NOT NULL THEN
                reply := ARRAY ['HELD', record];
            END IF;
        END IF;
        IF reply IS NOT NULL THEN
            PERFORM intent_remember(of_pool, keys[2], args, 'place_hold', life.epoch, now_ms,
                                    reply[1] || E'\t' || reply[2], intent_rank(life, record));
            RETURN reply;
        END IF;
        PERFORM intent_await_items(of_pool, wanted, since);
    END LOOP;
END
$$;

-- Looks at parts of rows one by one for seats side by side. Those in `but` count as taken.
CREATE FUNCTION intent_side_by_side(
    of_pool text, parts text[], wanted int, may_leave_one boolean, but text[],
    OUT chosen text[], OUT view text)
    LANGUAGE plpgsql AS
$$
DECLARE
    seats   text[];
    free    boolean[];
    part    text;
    views   text[] := '{}';
    is_good boolean := false;
    is_well boolean;
    start   int;
    first   int;
    longest int;
    size    int;
BEGIN
    FOREACH part IN ARRAY parts LOOP
        seats := string_to_array(substr(part, 2), E'\n');
        SELECT array_agg(i.version >= 0 AND i.status = '' AND i.fence IS NULL
                         AND s.seat <> ALL (but) ORDER BY s.n)
          INTO free
          FROM unnest(seats) WITH ORDINALITY AS s (seat, n)
          LEFT JOIN intent_item i ON i.pool = of_pool AND i.item = s.seat;
        start := NULL;
        first := cardinality(seats);
        longest := 0;
        FOR k IN 1 .. cardinality(seats) + 1 LOOP
            IF coalesce(free[k], false) THEN
                start := coalesce(start, k);
                first := least(first, k - 1);
            ELSIF start IS NOT NULL THEN
                size := k - start;
                is_well := size >= wanted + 2
                    OR (size = wanted AND NOT (starts_with(part, '>') AND k > cardinality(seats)));
                IF NOT is_good AND size >= wanted
                    AND (is_well OR (may_leave_one AND chosen IS NULL)) THEN
                    chosen := seats[start : start + wanted - 1];
                    is_good := is_well;
                END IF;
                longest := greatest(longest, size);
                start := NULL;
            END IF;
        END LOOP;
        views := views || (first || ' ' || longest);
        EXIT WHEN is_good;
    END LOOP;
    view := array_to_string(views, ',');
END
$$;

CREATE FUNCTION intent_hold_best(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life   CONSTANT intent_pool := intent_enter(of_pool);
    wanted CONSTANT int := args[11];
    busy   text[] := '{}'; -- seats that others are at: not chosen now, and no reason to refuse
    since  bigint;
    now_ms bigint;
    sums   record;
    seen   record;
    reply  text[];
    record text;
BEGIN
    reply := intent_unseeded(life, args[1]);
    reply := coalesce(reply, intent_replay(of_pool, keys[2], 'place_hold', args[4]));
    IF reply IS NOT NULL THEN
        RETURN reply;
    END IF;
    since := intent_now();
    LOOP
        now_ms := intent_now();
        SELECT sum(t.version)::text AS version, args[12]::bigint - sum(t.held) - sum(t.sold) AS free
          INTO sums FROM intent_tally t WHERE t.pool = of_pool;
        IF intent_holds_of(of_pool, args[2], args[6], '{}') >= args[9]::bigint THEN
            reply := ARRAY ['LIMIT', args[9]];
            EXIT;
        END IF;
        seen := intent_side_by_side(
            of_pool, args[14:], wanted, args[13] IN ('ANY', 'LAST'), busy);
        IF seen.chosen IS NOT NULL THEN
            record := intent_grant(life, args, seen.chosen, '{}', now_ms);
            IF record = 'FULL' THEN
                RETURN ARRAY ['UNSEEDED', 'FULL'];
            ELSIF record IS NOT NULL THEN
                reply := ARRAY ['HELD', record, seen.view];
                EXIT;
            END IF;
            busy := busy || seen.chosen;
        ELSIF busy <> '{}' THEN
            PERFORM intent_await_items(of_pool, busy, since);
            busy := '{}';
        ELSIF args[13] IN ('LAST', life.epoch || ' ' || sums.version) OR sums.free < wanted THEN
            reply := ARRAY ['TAKEN', ''];
            EXIT;
        ELSE
            RETURN ARRAY ['NEXT', life.epoch || ' ' || sums.version, seen.view];
        END IF;
    END LOOP;
    PERFORM intent_remember(of_pool, keys[2], args, 'place_hold', life.epoch, now_ms,
                            reply[1] || E'\t' || reply[2], intent_rank(life, record));
    RETURN reply;
END
$$;

CREATE FUNCTION intent_hold_extend(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life   CONSTANT intent_pool := intent_enter(of_pool);
    now_ms bigint;
    hold   intent_hold;
BEGIN
    IF intent_unseeded(life, args[1]) IS NOT NULL THEN
        RETURN intent_unseeded(life, args[1]);
    END IF;
    SELECT * INTO hold FROM intent_hold h
     WHERE h.pool = of_pool AND h.fence = intent_fence_in(keys[2]) FOR UPDATE;
    now_ms := intent_now();
    IF hold.fence IS NULL THEN
        RETURN ARRAY ['ABSENT'];
    ELSIF hold.salt <> args[3] OR hold.caller <> args[2] THEN
        RETURN ARRAY ['NOT_KNOWN'];
    ELSIF hold.end_reason IN ('WINDOW', 'LEASE')
        OR (hold.state = 'HELD' AND hold.lease_until_ms <= now_ms) THEN
        RETURN ARRAY ['ELAPSED'];
    ELSIF hold.state <> 'HELD' OR hold.requester <> args[4] THEN
        RETURN ARRAY ['NOT_HELD'];
    ELSIF hold.fence::text <> args[5] THEN
        RETURN ARRAY ['STALE_FENCE'];
    END IF;
    UPDATE intent_hold h
       SET lease_until_ms = greatest(least(now_ms + h.lease_ms, h.expires_ms), h.lease_until_ms),
           due_ms = CASE WHEN h.pin_no % 2 = 1 THEN h.due_ms -- a pin keeps it, and gives it back
                         ELSE greatest(least(now_ms + h.lease_ms, h.expires_ms), h.lease_until_ms)
                    END
     WHERE h.pool = of_pool AND h.fence = hold.fence RETURNING h.* INTO hold;
    RETURN ARRAY ['EXTENDED', intent_record(hold)];
END
$$;

CREATE FUNCTION intent_hold_release(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life   CONSTANT intent_pool := intent_enter(of_pool);
    now_ms bigint;
    hold   intent_hold;
    reply  text[];
BEGIN
    reply := intent_unseeded(life, args[1]);
    reply := coalesce(reply, intent_replay(of_pool, keys[2], 'release', args[4]));
    IF reply IS NOT NULL THEN
        RETURN reply;
    END IF;
    SELECT * INTO hold FROM intent_hold h
     WHERE h.pool = of_pool AND h.fence = intent_fence_in(keys[4]) FOR UPDATE;
    now_ms := intent_now();
    IF hold.fence IS NULL THEN
        RETURN ARRAY ['ABSENT'];
    ELSIF hold.salt <> args[6] OR hold.caller <> args[2] THEN
        reply := ARRAY ['NOT_KNOWN', ''];
    ELSIF hold.state <> 'HELD' OR hold.requester <> args[7] OR hold.lease_until_ms <= now_ms THEN
        reply := ARRAY ['NOT_HELD', ''];
    ELSIF hold.pin_no % 2 = 1 THEN
        RETURN ARRAY ['PINNED', intent_record(hold), '', life.epoch::text];
    ELSE
        reply := ARRAY ['RELEASED', intent_finish(hold, 'RELEASED', '', now_ms)];
        PERFORM intent_count(of_pool, 1, -cardinality(hold.items), 0);
    END IF;
    PERFORM intent_remember(of_pool, keys[2], args, 'release', life.epoch, now_ms,
                            reply[1] || E'\t' || reply[2]);
    RETURN reply;
END
$$;

CREATE FUNCTION intent_hold_expire(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life   CONSTANT intent_pool := intent_enter(of_pool);
    now_ms bigint;
    hold   intent_hold;
    reason text;
    reply  text[];
BEGIN
    reply := intent_unseeded(life, args[1]);
    reply := coalesce(reply, intent_replay(of_pool, keys[2], 'expire', args[4]));
    IF reply IS NOT NULL THEN
        RETURN reply;
    END IF;
    SELECT * INTO hold FROM intent_hold h
     WHERE h.pool = of_pool AND h.fence = intent_fence_in(keys[4]) FOR UPDATE;
    now_ms := intent_now();
    reason := CASE WHEN hold.lease_until_ms <= now_ms THEN intent_elapsed_reason(hold)
                   ELSE 'FORCED' END;
    IF hold.fence IS NULL THEN
        RETURN ARRAY ['ABSENT'];
    ELSIF hold.salt <> args[6] THEN
        reply := ARRAY ['NOT_KNOWN', ''];
    ELSIF hold.state <> 'HELD' THEN
        reply := ARRAY ['NOT_HELD', ''];
    ELSIF reason = 'FORCED' AND args[7] <> 'force' THEN
        reply := ARRAY ['WINDOW_NOT_ELAPSED', ''];
    ELSIF hold.pin_no % 2 = 1 THEN
        RETURN ARRAY ['PINNED', intent_record(hold), reason, life.epoch::text];
    ELSE
        reply := ARRAY ['EXPIRED', intent_finish(hold, 'EXPIRED', reason, now_ms)];
        PERFORM intent_count(of_pool, 1, -cardinality(hold.items), 0);
    END IF;
    PERFORM intent_remember(of_pool, keys[2], args, 'expire', life.epoch, now_ms,
                            reply[1] || E'\t' || reply[2]);
    RETURN reply;
END
$$;

CREATE FUNCTION intent_hold_refuse(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life  CONSTANT intent_pool := intent_enter(of_pool);
    reply text[];
BEGIN
    reply := intent_unseeded(life, args[1]);
    reply := coalesce(reply, intent_replay(of_pool, keys[2], args[6], args[4]));
    IF reply IS NOT NULL THEN
        RETURN reply;
    END IF;
    PERFORM intent_remember(of_pool, keys[2], args, args[6], life.epoch, intent_now(), args[7]);
    RETURN ARRAY ['REFUSED', args[7]];
END
$$;

-- Holds that others are at are left to them.
CREATE FUNCTION intent_hold_sweep(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life   intent_pool;
    now_ms CONSTANT bigint := intent_now();
    hold   intent_hold;
    ended  int := 0;
    freed  int := 0;
    swept  text[] := ARRAY ['SWEPT'];
BEGIN
    SELECT * INTO life FROM intent_pool p WHERE p.pool = of_pool;
    IF intent_unseeded(life, args[1]) IS NOT NULL THEN
        RETURN intent_unseeded(life, args[1]);
    END IF;
    IF NOT EXISTS (SELECT 1 FROM intent_hold h
                    WHERE h.pool = of_pool AND h.state = 'HELD' AND h.due_ms <= now_ms) THEN
        RETURN swept;
    END IF;
    life := intent_enter(of_pool);
    IF intent_unseeded(life, args[1]) IS NOT NULL THEN
        RETURN intent_unseeded(life, args[1]);
    END IF;
    FOR hold IN SELECT * FROM intent_hold h
                 WHERE h.pool = of_pool AND h.state = 'HELD' AND h.due_ms <= now_ms
                 ORDER BY h.due_ms, h.fence LIMIT args[2]::int FOR UPDATE SKIP LOCKED LOOP
        IF hold.pin_no % 2 = 1 THEN
            UPDATE intent_hold h SET due_ms = now_ms + 1000
             WHERE h.pool = of_pool AND h.fence = hold.fence;
            swept := swept || (life.epoch || E'\t' || intent_record(hold));
        ELSE
            PERFORM intent_lapse(hold, intent_elapsed_reason(hold), life.epoch, now_ms);
            ended := ended + 1;
            freed := freed + cardinality(hold.items);
            swept := swept || (now_ms - hold.lease_until_ms)::text;
        END IF;
    END LOOP;
    IF ended > 0 THEN
        PERFORM intent_count(of_pool, ended, -freed, 0);
    END IF;
    RETURN swept;
END
$$;

CREATE FUNCTION intent_hold_read(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life intent_pool;
BEGIN
    SELECT * INTO life FROM intent_pool p WHERE p.pool = of_pool;
    RETURN coalesce(
        intent_unseeded(life, args[1]),
        ARRAY ['HOLDS', intent_now()::text] || coalesce(
            (SELECT array_agg(CASE WHEN h.fence IS NULL THEN '' ELSE intent_record(h) END ORDER BY k.n)
               FROM unnest(keys[2:]) WITH ORDINALITY AS k (key, n)
               LEFT JOIN intent_hold h ON h.pool = of_pool AND h.fence = intent_fence_in(k.key)),
            '{}'));
END
$$;

CREATE FUNCTION intent_hold_recollect(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life intent_pool;
BEGIN
    SELECT * INTO life FROM intent_pool p WHERE p.pool = of_pool;
    RETURN coalesce(
        intent_unseeded(life, args[1]),
        (SELECT ARRAY ['SPENT', t.entry, t.until_ms::text, ''] FROM intent_token t
          WHERE t.pool = of_pool AND t.key = keys[2] AND t.until_ms > intent_now()),
        ARRAY ['UNSPENT']);
END
$$;

CREATE FUNCTION intent_hold_pin(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life     CONSTANT intent_pool := intent_enter(of_pool);
    now_ms   bigint;
    hold     intent_hold;
    reply    text[];
    deadline bigint;
BEGIN
    reply := intent_unseeded(life, args[1]);
    reply := coalesce(reply, intent_replay(of_pool, keys[2], 'confirm', args[4]));
    IF reply IS NOT NULL THEN
        RETURN reply;
    END IF;
    SELECT * INTO hold FROM intent_hold h
     WHERE h.pool = of_pool AND h.fence = intent_fence_in(keys[3]) FOR UPDATE;
    now_ms := intent_now();
    deadline := least(now_ms + args[9]::bigint, hold.expires_ms) - args[10]::bigint;
    IF hold.fence IS NULL THEN
        RETURN ARRAY ['ABSENT'];
    ELSIF hold.salt <> args[6] OR hold.caller <> args[2] THEN
        RETURN ARRAY ['NOT_KNOWN'];
    ELSIF hold.end_reason IN ('WINDOW', 'LEASE') THEN
        RETURN ARRAY ['ELAPSED'];
    ELSIF hold.state <> 'HELD' OR hold.requester <> args[7] THEN
        RETURN ARRAY ['NOT_HELD'];
    ELSIF hold.fence::text <> args[8] THEN
        RETURN ARRAY ['STALE_FENCE'];
    ELSIF deadline <= now_ms OR NOT intent_lives(hold, now_ms) THEN
        RETURN ARRAY ['ELAPSED'];
    END IF;
    UPDATE intent_hold h
       SET pin_no = h.pin_no + 1 + h.pin_no % 2,
           due_ms = greatest(deadline + args[11]::bigint, h.lease_until_ms)
     WHERE h.pool = of_pool AND h.fence = hold.fence RETURNING h.* INTO hold;
    PERFORM intent_keep(of_pool, keys[2], E'confirm\t' || args[4] || E'\tRUNNING\t', now_ms,
                        least(hold.due_ms - now_ms, args[5]::bigint));
    RETURN ARRAY ['PINNED', intent_record(hold), deadline::text, life.epoch::text];
END
$$;

CREATE FUNCTION intent_hold_unpin(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life CONSTANT intent_pool := intent_enter(of_pool);
BEGIN
    IF intent_unseeded(life, args[1]) IS NOT NULL THEN
        RETURN intent_unseeded(life, args[1]);
    END IF;
    UPDATE intent_hold h SET pin_no = args[3]::bigint, due_ms = h.lease_until_ms
     WHERE h.pool = of_pool AND h.fence = intent_fence_in(keys[2]) AND h.state = 'HELD'
       AND h.pin_no = args[2]::bigint;
    RETURN ARRAY [CASE WHEN FOUND THEN 'UNPINNED' ELSE 'OTHER' END];
END
$$;

CREATE FUNCTION intent_hold_keep(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life CONSTANT intent_pool := intent_enter(of_pool);
BEGIN
    IF intent_unseeded(life, args[1]) IS NOT NULL THEN
        RETURN intent_unseeded(life, args[1]);
    END IF;
    UPDATE intent_hold h SET due_ms = greatest(args[3]::bigint, intent_now())
     WHERE h.pool = of_pool AND h.fence = intent_fence_in(keys[2]) AND h.state = 'HELD'
       AND h.pin_no = args[2]::bigint;
    RETURN ARRAY [CASE WHEN FOUND THEN 'KEPT' ELSE 'OTHER' END];
END
$$;

CREATE FUNCTION intent_hold_settle(of_pool text, keys text[], args text[])
    RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    life    CONSTANT intent_pool := intent_enter(of_pool);
    now_ms  CONSTANT bigint := intent_now();
    value   CONSTANT text := args[6] || E'\t' || args[4] || E'\t' || args[7];
    ended   CONSTANT text[] := string_to_array(args[8], E'\t');
    hold    intent_hold;
    learnt  record;
    is_news boolean := false;
    freed   int := 0;
BEGIN
    IF intent_unseeded(life, args[1]) IS NOT NULL THEN
        RETURN intent_unseeded(life, args[1]);
    END IF;
    IF args[7] <> '' THEN
        PERFORM intent_replay(of_pool, keys[2], args[6], args[4]); -- equal tokens wait here
    END IF;
    SELECT * INTO hold FROM intent_hold h
     WHERE h.pool = of_pool AND h.fence = intent_fence_in(keys[4]) FOR UPDATE;
    IF args[8] <> '' AND hold.state = 'HELD' THEN
        PERFORM intent_finish(hold, ended[1], ended[11], ended[10]::bigint);
        UPDATE intent_hold h SET lease_until_ms = ended[7]::bigint, pin_no = ended[12]::bigint
         WHERE h.pool = of_pool AND h.fence = hold.fence;
        freed := cardinality(hold.items);
        is_news := true;
    END IF;
    learnt := intent_learn(of_pool, args[9:], false);
    IF args[7] <> '' AND args[5] <> '0' AND NOT EXISTS (
        SELECT 1 FROM intent_token t
         WHERE t.pool = of_pool AND t.key = keys[2] AND t.entry = value AND t.until_ms > now_ms) THEN
        INSERT INTO intent_token AS t (pool, key, entry, until_ms)
        VALUES (of_pool, keys[2], value, now_ms + args[5]::bigint)
            ON CONFLICT ON CONSTRAINT intent_token_key
            DO UPDATE SET entry = EXCLUDED.entry, until_ms = EXCLUDED.until_ms;
        is_news := true;
    END IF;
    IF is_news AND args[7] <> '' THEN
        PERFORM intent_note(of_pool, life.epoch, now_ms,
                            args[6] || E'\t' || args[2] || E'\t' || args[3] || E'\t' || args[4]
                            || E'\t' || greatest(args[5]::bigint, 1), args[7]);
    ELSIF is_news THEN
        PERFORM intent_note(of_pool, life.epoch, now_ms, E'\t\t\t\t', ended[1] || E'\t' || args[8]);
    END IF;
    IF freed > 0 OR learnt.news > 0 THEN
        PERFORM intent_count(
            of_pool, (freed > 0)::int + learnt.news, -freed, learnt.solds);
    END IF;
    RETURN ARRAY ['SETTLED'];
END
$$;
