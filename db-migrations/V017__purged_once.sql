-- What is purged is looked for once. As `IN (SELECT …)` it was looked for again for every row, as long
-- as Postgres took the table for an empty one.
--
-- Locks: none; replaces a function.

CREATE OR REPLACE FUNCTION intent_journal_trim(of_pool text, keys text[], args text[])
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
       AND h.fence = ANY (ARRAY (SELECT intent_fence_in(k) FROM unnest(keys[3:]) AS k));
    DELETE FROM intent_token t
     WHERE t.ctid = ANY (ARRAY (
           SELECT e.ctid FROM intent_token e
            WHERE e.pool = of_pool AND e.until_ms <= intent_now()
            ORDER BY e.until_ms LIMIT 1000 FOR UPDATE SKIP LOCKED));
    RETURN ARRAY ['TRIMMED'];
END
$$;
