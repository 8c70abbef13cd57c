-- What guards against duplicates have seen, for those that keep it here: see DuplicateGuard. An
-- identity is under guard from recorded_at until the guard's own window is over, which only the guard
-- knows; until then the moment stays as it is. No record for auditors: rows go with their windows.
--
-- Locks: creates new tables only.

CREATE TABLE guarded (
    guard       text        NOT NULL,
    identity    text        NOT NULL, -- as it is compared
    recorded_at timestamptz NOT NULL,
    CONSTRAINT guarded_key PRIMARY KEY (guard, identity),
    CONSTRAINT guarded_guard_form CHECK (guard ~ '^[a-z0-9-]{1,64}$')
);

CREATE INDEX guarded_elapsed ON guarded (guard, recorded_at);

GRANT SELECT, INSERT, DELETE ON guarded TO holdfast_service;
GRANT UPDATE (recorded_at) ON guarded TO holdfast_service;
GRANT SELECT ON guarded TO holdfast_auditor;
