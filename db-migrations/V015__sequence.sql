-- How far a pool has been processed in the order of the sequence numbers that Redis gives: the
-- admissions of a waiting room, and the end of an auction. A processor that was paused and wakes up
-- with older numbers is refused here, whatever it believes.
--
-- Locks: creates a new table only.

CREATE TABLE sequence_cursor (
    pool               text   NOT NULL,
    committed_sequence bigint NOT NULL DEFAULT 0,
    CONSTRAINT sequence_cursor_key PRIMARY KEY (pool),
    CONSTRAINT sequence_cursor_of_pool FOREIGN KEY (pool) REFERENCES pool (pool),
    CONSTRAINT sequence_cursor_fits CHECK (committed_sequence BETWEEN 0 AND 9007199254740991)
) WITH (fillfactor = 50);

CREATE FUNCTION sequence_only_grows() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'pool % is processed up to %, and not behind it', OLD.pool, OLD.committed_sequence
        USING ERRCODE = 'check_violation', CONSTRAINT = 'sequence_only_grows';
END
$$;

CREATE TRIGGER sequence_only_grows
    BEFORE UPDATE ON sequence_cursor
    FOR EACH ROW WHEN (OLD.committed_sequence >= NEW.committed_sequence OR OLD.pool <> NEW.pool)
    EXECUTE FUNCTION sequence_only_grows();

GRANT SELECT, INSERT ON sequence_cursor TO holdfast_service;
GRANT UPDATE (committed_sequence) ON sequence_cursor TO holdfast_service;
GRANT SELECT ON sequence_cursor TO holdfast_auditor;
