-- A transaction of sales writes, checks what it wrote and commits in one round trip, so the check has
-- to be made here: whoever wrote another number of rows than it had to gets an error, and nothing
-- behind it is run, the COMMIT neither.
--
-- Locks: none; creates a function.

CREATE FUNCTION written_as_read(written bigint[], expected bigint[]) RETURNS boolean
    LANGUAGE plpgsql AS
$$
BEGIN
    IF written IS DISTINCT FROM expected THEN
        RAISE EXCEPTION 'what was read had changed before it was written: % rows in the place of %',
                        written, expected
            USING ERRCODE = 'HF001';
    END IF;
    RETURN true;
END
$$;
