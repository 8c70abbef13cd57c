-- Retention: old records are dropped, so that tables do not grow for ever. One time, the horizon,
-- says from when on the records are complete. It moves only when the oldest partition of the journal
-- is dropped, by a function that keeps every line for 15 days at least, and each drop stays on
-- record. Ended holds, attempts, events and counts of replays from before the horizon may be deleted
-- unless something needs them, and the key of a person with the last record of that person. The rules
-- of that are functions, which guard both the search for old rows and, as triggers, every DELETE,
-- whoever sends it. The service has no right to delete; it calls functions.
--
-- Never dropped: pools, items and their fences, epochs, commitments and sold holds, consumed logical
-- keys, nonces, verifications, reversals, checkouts and everything about money, cursors, sequences.
--
-- Refusals of one caller that the drainer stores together become one line. It keeps 28 bytes of each
-- call, which is what the checks of tokens need.
--
-- Locks: ACCESS EXCLUSIVE on journal and its partitions, hold, attempt, event, event_person, person_key
-- and token_replay for an instant. SHARE on token_result while an index of it is made, which reads the
-- table once. No rows are written.

-- Of a line that counts several calls: prints of their tokens, digests and outcomes, and how long
-- after the line each call came. A line of one call has none of these.
ALTER TABLE journal
    ADD COLUMN tokens   uuid[],
    ADD COLUMN digests  integer[],
    ADD COLUMN outcomes integer[],
    ADD COLUMN after_ms integer[];

-- 128 bits, so that two tokens of one caller have different prints.
CREATE FUNCTION token_print(token bytea) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT left(encode(sha256(token), 'hex'), 32)::uuid $$;

-- Tells two texts under one token apart.
CREATE FUNCTION text_print(words text) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT ('x' || left(encode(sha256(convert_to(words, 'UTF8')), 'hex'), 8))::bit(32)::integer $$;

-- Of an outcome that is the hold which the requester had already, only the word counts: the record may
-- name persons, and the line has the id of the hold.
CREATE FUNCTION outcome_print(outcome text) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT text_print(CASE WHEN outcome LIKE E'SAME\t%' THEN 'SAME' ELSE rtrim(outcome, E'\t') END) $$;

-- Every use of a token that the journal has. outcome is known of lines of one call, outcome_print of
-- the others. line_at prunes partitions; recorded_at is that of the call.
CREATE VIEW token_use AS
SELECT pool, caller, token_print(token) AS print, action, text_print(digest) AS digest_print,
       window_ms, recorded_at AS line_at, recorded_at, stream_seq, happened_at, word, hold_id,
       1 AS calls, rtrim(word || E'\t' || detail, E'\t') AS outcome, NULL::integer AS outcome_print
  FROM journal
 WHERE action IS NOT NULL AND tokens IS NULL
UNION ALL
SELECT pool, caller, calls.print, action, calls.digest,
       window_ms, recorded_at, recorded_at + calls.after_ms * interval '1 millisecond', stream_seq,
       happened_at + calls.after_ms * interval '1 millisecond', word, hold_id,
       cardinality(tokens), NULL, calls.outcome
  FROM journal
       CROSS JOIN LATERAL unnest(tokens, digests, outcomes, after_ms)
                       AS calls (print, digest, outcome, after_ms)
 WHERE action IS NOT NULL AND tokens IS NOT NULL;

GRANT SELECT ON token_use TO holdfast_auditor;

-- The partitions by time. The bounds are read back in the form in which the session writes them.
CREATE VIEW journal_partition AS
SELECT oid::regclass AS name, bounds[1]::timestamptz AS begins, bounds[2]::timestamptz AS ends
  FROM (SELECT c.oid, regexp_match(pg_get_expr(c.relpartbound, c.oid),
                                   'FROM \(''([^'']+)''\) TO \(''([^'']+)''\)') AS bounds
          FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
         WHERE i.inhparent = 'journal'::regclass) AS parts
 WHERE bounds IS NOT NULL;

GRANT SELECT ON journal_partition TO holdfast_service, holdfast_auditor;

-- What was dropped. The newest time is the horizon.
CREATE TABLE journal_drop (
    id         bigint      GENERATED ALWAYS AS IDENTITY,
    partition  text        NOT NULL,
    before     timestamptz NOT NULL, -- all lines of the partition are older
    bytes      bigint      NOT NULL,
    dropped_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT journal_drop_key PRIMARY KEY (id)
);

CREATE TRIGGER journal_drop_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON journal_drop
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

GRANT SELECT ON journal_drop TO holdfast_service, holdfast_auditor;

CREATE FUNCTION records_since() RETURNS timestamptz
    LANGUAGE sql STABLE AS
$$ SELECT coalesce(max(before), '-infinity') FROM journal_drop $$;

-- Tells at once whether a line that is old enough to be dropped is that of a token in its window. No
-- policy allows such a window, so the index is empty. One by the end of windows would lead to nearly
-- all entries, because all of them are in their window.
CREATE INDEX token_result_long ON token_result (recorded_at)
    WHERE window_until - recorded_at > interval '14 days';

-- Drops the oldest partition if all of its lines are older than `keep`, and moves the horizon. The
-- default partition counts as one whose end is its last line; it gets an empty successor. No row: no
-- partition is old enough. With a value in needed_by, the partition is old enough and stays:
--   * an auction that has not ended reads the line of its close;
--   * a token in its window has its line, which proves its outcome.
-- A line that is drained after its partition was dropped is stored in the default partition.
CREATE FUNCTION drop_oldest_journal(keep interval)
    RETURNS TABLE (partition text, before timestamptz, bytes bigint, needed_by text)
    LANGUAGE plpgsql SET lock_timeout = '1s' SET enable_seqscan = off AS
$$
BEGIN
    IF keep < interval '15 days' THEN
        RAISE EXCEPTION 'the journal is kept for 15 days at least, not for %', keep
            USING ERRCODE = 'check_violation', CONSTRAINT = 'journal_is_kept';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('journal_partitions'));
    SELECT p.name::text, p.ends INTO partition, before FROM journal_partition p ORDER BY p.ends LIMIT 1;
    IF before IS NULL OR before > now() - keep THEN
        SELECT 'journal_other', max(j.recorded_at) + interval '1 millisecond'
          INTO partition, before FROM journal_other j;
    END IF;
    IF before IS NULL OR before > now() - keep THEN
        RETURN;
    END IF;
    needed_by := coalesce(
        (SELECT 'the auction of pool ' || a.pool FROM auction a
          WHERE a.closed_at IS NULL AND least(a.closes_at, a.closing_since) < before LIMIT 1),
        (SELECT 'a token of pool ' || t.pool FROM token_result t
          WHERE t.window_until - t.recorded_at > interval '14 days'
            AND t.recorded_at < before AND t.window_until > now() LIMIT 1));
    bytes := pg_total_relation_size(partition::regclass);
    IF needed_by IS NULL THEN
        EXECUTE format('DROP TABLE %s', partition::regclass);
        IF partition = 'journal_other' THEN
            CREATE TABLE journal_other PARTITION OF journal DEFAULT;
            CREATE TRIGGER journal_is_not_emptied
                BEFORE TRUNCATE ON journal_other
                FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();
        END IF;
        INSERT INTO journal_drop (partition, before, bytes) VALUES (partition, before, bytes);
    END IF;
    RETURN NEXT;
END
$$;

-- Holds. Only one that ended without a sale is ever deleted.
CREATE FUNCTION hold_is_needed(h hold) RETURNS boolean
    LANGUAGE sql STABLE AS
$$
    SELECT h.state NOT IN ('RELEASED', 'EXPIRED')
        OR h.ended_at >= records_since() - interval '1 hour'
        OR EXISTS (SELECT 1 FROM commitment c WHERE c.pool = h.pool AND c.hold_id = h.hold_id)
        OR EXISTS (SELECT 1 FROM checkout o WHERE o.hold_id = h.hold_id AND o.pool = h.pool)
        OR EXISTS (SELECT 1 FROM checkout o WHERE o.replacement_id = h.hold_id)
        OR EXISTS (SELECT 1 FROM item i
                    WHERE i.pool = h.pool AND i.item = ANY (h.items) AND i.holder = h.hold_id)
        OR EXISTS (SELECT 1 FROM auction a WHERE a.pool = h.pool AND a.closed_at IS NULL)
        OR EXISTS (SELECT 1 FROM token_result t
                    WHERE t.pool = h.pool AND t.caller = h.caller AND t.token = h.token
                      AND t.window_until > clock_timestamp())
$$;

CREATE OR REPLACE FUNCTION hold_is_for_ever() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'a hold is never deleted before the horizon, or while something needs it'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'hold_is_for_ever';
END
$$;

DROP TRIGGER hold_is_for_ever ON hold;

CREATE TRIGGER hold_is_for_ever
    BEFORE DELETE ON hold
    FOR EACH ROW WHEN (hold_is_needed(OLD))
    EXECUTE FUNCTION hold_is_for_ever();

CREATE TRIGGER hold_is_not_emptied
    BEFORE TRUNCATE ON hold
    FOR EACH STATEMENT EXECUTE FUNCTION hold_is_for_ever();

-- Attempts. The one that consumed a logical key is kept with the key.
CREATE FUNCTION attempt_is_needed(a attempt) RETURNS boolean
    LANGUAGE sql STABLE AS
$$
    SELECT a.recorded_at >= records_since() - interval '1 hour'
        OR a.outcome = 'CONFIRMED' AND a.detail <> 'replayed'
           AND EXISTS (SELECT 1 FROM consumed_request q
                        WHERE q.pool = a.pool AND q.caller = a.caller
                          AND q.logical_key = a.logical_key AND q.token = a.token)
        OR EXISTS (SELECT 1 FROM token_result t
                    WHERE t.pool = a.pool AND t.caller = a.caller AND t.token = a.token
                      AND t.window_until > clock_timestamp())
$$;

DROP TRIGGER attempt_is_append_only ON attempt;

CREATE TRIGGER attempt_is_append_only
    BEFORE UPDATE OR TRUNCATE ON attempt
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

CREATE TRIGGER attempt_is_kept
    BEFORE DELETE ON attempt
    FOR EACH ROW WHEN (attempt_is_needed(OLD))
    EXECUTE FUNCTION journal_is_append_only();

-- Events. A webhook that is enabled gets every event of its pools that it has not got.
CREATE FUNCTION event_is_needed(e event) RETURNS boolean
    LANGUAGE sql STABLE AS
$$
    SELECT e.recorded_at >= records_since() - interval '1 hour'
        OR EXISTS (SELECT 1 FROM webhook w
                     LEFT JOIN webhook_lane l ON l.webhook_id = w.id AND l.pool = e.pool
                    WHERE w.enabled AND (w.pools = '{}' OR e.pool = ANY (w.pools))
                      AND coalesce(l.seq, 0) < e.seq)
$$;

DROP TRIGGER event_is_append_only ON event;

CREATE TRIGGER event_is_append_only
    BEFORE UPDATE OR TRUNCATE ON event
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

CREATE TRIGGER event_is_kept
    BEFORE DELETE ON event
    FOR EACH ROW WHEN (event_is_needed(OLD))
    EXECUTE FUNCTION journal_is_append_only();

-- The persons in an event are kept with it.
CREATE FUNCTION event_person_is_needed(p event_person) RETURNS boolean
    LANGUAGE sql STABLE AS
$$ SELECT EXISTS (SELECT 1 FROM event e WHERE e.pool = p.pool AND e.seq = p.seq) $$;

DROP TRIGGER event_person_is_append_only ON event_person;

CREATE TRIGGER event_person_is_append_only
    BEFORE UPDATE OR TRUNCATE ON event_person
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

CREATE TRIGGER event_person_is_kept
    BEFORE DELETE ON event_person
    FOR EACH ROW WHEN (event_person_is_needed(OLD))
    EXECUTE FUNCTION journal_is_append_only();

-- Counts of replays. Those of the call that consumed a logical key are kept with its attempt.
CREATE FUNCTION replay_is_needed(r token_replay) RETURNS boolean
    LANGUAGE sql STABLE AS
$$
    SELECT r.last_at >= records_since() - interval '1 hour'
        OR r.route = 'confirm'
           AND EXISTS (SELECT 1 FROM attempt a
                        WHERE a.pool = r.pool AND a.caller = r.caller AND a.token = r.token
                          AND attempt_is_needed(a))
$$;

CREATE TRIGGER token_replay_is_kept
    BEFORE DELETE ON token_replay
    FOR EACH ROW WHEN (replay_is_needed(OLD))
    EXECUTE FUNCTION journal_is_append_only();

CREATE TRIGGER token_replay_is_not_emptied
    BEFORE TRUNCATE ON token_replay
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

-- Keys of persons. A key is dropped with the last record of its person: commitments, consumed keys and
-- checkouts have a hold that is kept. A person is written as in person_hash, the caller and the
-- requester with a tab between them.
CREATE FUNCTION person_is_needed(key bigint, person text) RETURNS boolean
    LANGUAGE sql STABLE AS
$$
    SELECT EXISTS (SELECT 1 FROM event_person p WHERE p.key_id = key)
        OR EXISTS (SELECT 1 FROM hold h WHERE h.caller = split_part(person, E'\t', 1)
                                          AND h.requester = split_part(person, E'\t', 2))
        OR EXISTS (SELECT 1 FROM ticket t WHERE t.caller = split_part(person, E'\t', 1)
                                            AND t.requester = split_part(person, E'\t', 2))
        OR EXISTS (SELECT 1 FROM admission a WHERE a.caller = split_part(person, E'\t', 1)
                                               AND a.requester = split_part(person, E'\t', 2))
$$;

-- The row has only a hash of its person, so who deletes it has to say who that is. Postgres locks the
-- row before it calls this, and every query here sees what was committed before it. A transaction that
-- writes with the key holds it FOR SHARE, so its records are seen.
CREATE FUNCTION person_key_is_kept() RETURNS trigger
    LANGUAGE plpgsql AS
$$
DECLARE
    person text := current_setting('holdfast.dropped_person', true);
BEGIN
    IF OLD.secret IS NULL OR person IS NULL
       OR sha256(convert_to(person, 'UTF8')) <> OLD.person_hash
       OR person_is_needed(OLD.id, person) THEN
        RAISE EXCEPTION 'the key of a person is not deleted while there is a record of the person'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'person_key_is_kept';
    END IF;
    RETURN OLD;
END
$$;

DROP TRIGGER person_key_is_for_ever ON person_key;

CREATE TRIGGER person_key_is_for_ever
    BEFORE TRUNCATE ON person_key
    FOR EACH STATEMENT EXECUTE FUNCTION person_key_is_shredded_once();

CREATE TRIGGER person_key_is_kept
    BEFORE DELETE ON person_key
    FOR EACH ROW EXECUTE FUNCTION person_key_is_kept();

-- A key that another transaction is writing with, or shredding, stays.
CREATE FUNCTION drop_person_keys(persons text[]) RETURNS void
    LANGUAGE plpgsql AS
$$
DECLARE
    person text;
    key    bigint;
BEGIN
    FOREACH person IN ARRAY persons LOOP
        SELECT k.id INTO key FROM person_key k
         WHERE k.person_hash = sha256(convert_to(person, 'UTF8')) AND k.secret IS NOT NULL
           FOR UPDATE SKIP LOCKED;
        IF FOUND AND NOT person_is_needed(key, person) THEN
            PERFORM set_config('holdfast.dropped_person', person, true);
            DELETE FROM person_key k WHERE k.id = key;
        END IF;
    END LOOP;
END
$$;

-- The functions below walk through a table in the order of its key. A call looks at `rows_max`
-- rows after the given key, deletes those that may go, and returns the last key that it has looked
-- at; null at the end of the table. The rows of a pool are in the order of time, so a call that finds
-- a young row goes on to the next pool. Rows that another session has locked stay.

-- A hold whose end Redis has not been told has an entry in the outbox. The outbox has no index by
-- hold, so the pools of old entries are left out.
CREATE FUNCTION drop_ended_holds(after_pool text, after_number bigint, rows_max integer,
                                 OUT last_pool text, OUT last_number bigint, OUT dropped bigint)
    LANGUAGE plpgsql SET enable_seqscan = off AS
$$
DECLARE
    since     timestamptz := records_since();
    young     boolean;
    unsettled text[];
    persons   text[];
BEGIN
    dropped := 0;
    SELECT h.pool, h.fence, h.placed_at >= since INTO last_pool, last_number, young FROM hold h
     WHERE (h.pool, h.fence) > (after_pool, after_number)
     ORDER BY h.pool, h.fence LIMIT 1;
    IF young THEN
        last_number := 9223372036854775807;
    END IF;
    IF young IS DISTINCT FROM false THEN
        RETURN;
    END IF;
    SELECT p.pool, p.fence INTO last_pool, last_number
      FROM (SELECT h.pool, h.fence FROM hold h
             WHERE (h.pool, h.fence) > (after_pool, after_number)
             ORDER BY h.pool, h.fence LIMIT rows_max) p
     ORDER BY p.pool DESC, p.fence DESC LIMIT 1;
    unsettled := ARRAY (SELECT DISTINCT pool FROM outbox WHERE created_at < since);
    WITH gone AS (
        DELETE FROM hold WHERE ctid = ANY (ARRAY (
               SELECT h.ctid FROM hold h
                WHERE (h.pool, h.fence) > (after_pool, after_number)
                  AND (h.pool, h.fence) <= (last_pool, last_number)
                  AND h.placed_at < since
                  AND h.pool <> ALL (unsettled)
                  AND NOT hold_is_needed(h)
                  FOR UPDATE SKIP LOCKED))
        RETURNING caller || E'\t' || requester AS person)
    SELECT count(*), coalesce(array_agg(DISTINCT person), '{}') INTO dropped, persons FROM gone;
    PERFORM drop_person_keys(persons);
END
$$;

CREATE FUNCTION drop_attempts(after_pool text, after_number bigint, rows_max integer,
                              OUT last_pool text, OUT last_number bigint, OUT dropped bigint)
    LANGUAGE plpgsql SET enable_seqscan = off AS
$$
DECLARE
    since timestamptz := records_since();
    young boolean;
BEGIN
    dropped := 0;
    SELECT a.pool, a.id, a.recorded_at >= since INTO last_pool, last_number, young FROM attempt a
     WHERE (a.pool, a.id) > (after_pool, after_number)
     ORDER BY a.pool, a.id LIMIT 1;
    IF young THEN
        last_number := 9223372036854775807;
    END IF;
    IF young IS DISTINCT FROM false THEN
        RETURN;
    END IF;
    SELECT p.pool, p.id INTO last_pool, last_number
      FROM (SELECT a.pool, a.id FROM attempt a
             WHERE (a.pool, a.id) > (after_pool, after_number)
             ORDER BY a.pool, a.id LIMIT rows_max) p
     ORDER BY p.pool DESC, p.id DESC LIMIT 1;
    WITH gone AS (
        DELETE FROM attempt WHERE ctid = ANY (ARRAY (
               SELECT a.ctid FROM attempt a
                WHERE (a.pool, a.id) > (after_pool, after_number)
                  AND (a.pool, a.id) <= (last_pool, last_number)
                  AND a.recorded_at < since
                  AND NOT attempt_is_needed(a)
                  FOR UPDATE SKIP LOCKED))
        RETURNING 1)
    SELECT count(*) INTO dropped FROM gone;
END
$$;

-- event_person has no index by event. The data of an event names the keys that its values are
-- encrypted with.
CREATE FUNCTION drop_events(after_pool text, after_number bigint, rows_max integer,
                            OUT last_pool text, OUT last_number bigint, OUT dropped bigint)
    LANGUAGE plpgsql SET enable_seqscan = off AS
$$
DECLARE
    since timestamptz := records_since();
    young boolean;
    keys  bigint[];
    pools text[];
    seqs  bigint[];
BEGIN
    dropped := 0;
    SELECT e.pool, e.seq, e.recorded_at >= since INTO last_pool, last_number, young FROM event e
     WHERE (e.pool, e.seq) > (after_pool, after_number)
     ORDER BY e.pool, e.seq LIMIT 1;
    IF young THEN
        last_number := 9223372036854775807;
    END IF;
    IF young IS DISTINCT FROM false THEN
        RETURN;
    END IF;
    SELECT p.pool, p.seq INTO last_pool, last_number
      FROM (SELECT e.pool, e.seq FROM event e
             WHERE (e.pool, e.seq) > (after_pool, after_number)
             ORDER BY e.pool, e.seq LIMIT rows_max) p
     ORDER BY p.pool DESC, p.seq DESC LIMIT 1;
    WITH gone AS (
        DELETE FROM event WHERE ctid = ANY (ARRAY (
               SELECT e.ctid FROM event e
                WHERE (e.pool, e.seq) > (after_pool, after_number)
                  AND (e.pool, e.seq) <= (last_pool, last_number)
                  AND e.recorded_at < since
                  AND NOT event_is_needed(e)
                  FOR UPDATE SKIP LOCKED))
        RETURNING pool, seq, data),
    sealed AS (
        SELECT gone.pool, gone.seq, part[1]::bigint AS key_id
          FROM gone CROSS JOIN LATERAL
               regexp_matches(gone.data, '"__sealed"\s*:\s*([0-9]{1,18})', 'g') AS part)
    SELECT (SELECT count(*) FROM gone), array_agg(key_id), array_agg(pool), array_agg(seq)
      INTO dropped, keys, pools, seqs FROM sealed;
    DELETE FROM event_person p
     USING (SELECT DISTINCT * FROM unnest(keys, pools, seqs) AS part (key_id, pool, seq)) AS gone
     WHERE p.key_id = gone.key_id AND p.pool = gone.pool AND p.seq = gone.seq;
END
$$;

-- The key begins with a hash, so this walk looks at every row, whatever its age. The hash, in
-- hexadecimal digits, is in the place of the pool.
CREATE FUNCTION drop_replays(after_pool text, after_number bigint, rows_max integer,
                             OUT last_pool text, OUT last_number bigint, OUT dropped bigint)
    LANGUAGE plpgsql SET enable_seqscan = off AS
$$
DECLARE
    since      timestamptz := records_since();
    after_hash bytea := decode(after_pool, 'hex');
    last_hash  bytea;
BEGIN
    dropped := 0;
    last_number := after_number;
    SELECT p.token_hash INTO last_hash
      FROM (SELECT r.token_hash FROM token_replay r
             WHERE r.token_hash > after_hash
             ORDER BY r.token_hash LIMIT rows_max) p
     ORDER BY p.token_hash DESC LIMIT 1;
    last_pool := encode(last_hash, 'hex');
    WITH gone AS (
        DELETE FROM token_replay WHERE ctid = ANY (ARRAY (
               SELECT r.ctid FROM token_replay r
                WHERE r.token_hash > after_hash
                  AND r.token_hash <= last_hash
                  AND r.last_at < since
                  AND NOT replay_is_needed(r)
                  FOR UPDATE SKIP LOCKED))
        RETURNING 1)
    SELECT count(*) INTO dropped FROM gone;
END
$$;

-- As of journal_partitions: the rights of the owner, a fixed search path, and for the service only.
DO
$$
DECLARE
    step text;
BEGIN
    FOREACH step IN ARRAY ARRAY ['drop_oldest_journal(interval)',
                                 'drop_ended_holds(text, bigint, integer)',
                                 'drop_attempts(text, bigint, integer)',
                                 'drop_events(text, bigint, integer)',
                                 'drop_replays(text, bigint, integer)'] LOOP
        EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = %I, pg_temp',
                       step, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', step);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO holdfast_service', step);
    END LOOP;
END
$$;
