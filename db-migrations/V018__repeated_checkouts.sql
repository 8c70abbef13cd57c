-- A hold may have any number of checkouts, one after another: after a checkout that was undone, such
-- as that of a declined card, the buyer may pay by another one. The index lets one checkout of a
-- hold be under way, fulfilled or stuck, whatever the code above it does. A checkout that was undone
-- never leaves that phase (checkout_goes_by_the_rules), so it never comes back beside another one.
--
-- Locks: ACCESS EXCLUSIVE on checkout. The new indexes read all checkouts, while no new one starts.

DROP INDEX checkout_hold_once;

CREATE UNIQUE INDEX checkout_hold_once ON checkout (hold_id, pool) WHERE phase <> 'COMPENSATED';

-- All checkouts of a hold, which a void looks through for the one that made the sale.
CREATE INDEX checkout_of_hold ON checkout (hold_id, pool);
