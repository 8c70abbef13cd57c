-- The scope admin makes and revokes keys of all callers. Without it, a key manages only the keys of
-- its own caller.
--
-- Locks: ACCESS EXCLUSIVE on api_key for an instant. The new check reads the table once.

ALTER TABLE api_key
    DROP CONSTRAINT api_key_scopes_known,
    ADD CONSTRAINT api_key_scopes_known
        CHECK (scopes <@ ARRAY['hold', 'commit', 'operate', 'audit', 'admin']);
