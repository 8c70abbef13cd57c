-- What follows from something else needs no index of its own. What undoes a step is named after the
-- call that it undoes, which is unique; and a line of a checkout's log is looked for by its checkout.
-- A checkout writes five of the first and six of the second.
--
-- Locks: checkout_step and checkout_log, exclusively, for as long as it takes to read the first one
-- through once and to build the index of the second.

ALTER TABLE checkout_step
    DROP CONSTRAINT checkout_step_undo_once,
    ADD CONSTRAINT checkout_step_undo_named CHECK (undo_id = call_id || ':undo');

ALTER TABLE checkout_log
    DROP CONSTRAINT checkout_log_key,
    ADD CONSTRAINT checkout_log_key PRIMARY KEY (pool, checkout_id, id);

DROP INDEX checkout_log_of_checkout;
