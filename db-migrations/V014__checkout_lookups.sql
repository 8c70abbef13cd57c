-- No hold has two checkouts, and an index that says so. It led with the pool, as that of ids does, so
-- that Postgres took the one for the other as long as it knew nothing of the table: a look at one id
-- then read every checkout of its pool. Leading with the hold it can be taken for nothing else.
--
-- Locks: checkout, for as long as its index takes to build.

ALTER TABLE checkout
    DROP CONSTRAINT checkout_hold_once,
    ADD CONSTRAINT checkout_hold_once UNIQUE (hold_id, pool);

-- The checkout that has sold a hold is looked for by the hold that it began with or by the one that
-- took its place.
CREATE INDEX checkout_replacement ON checkout (replacement_id) WHERE replacement_id IS NOT NULL;
