-- Every instance asks which pools are new since it last asked, and not for all of them.
-- Locks: SHARE on pool while its index is made: no pool can be created for that time.
CREATE INDEX pool_created_at ON pool (created_at);
