-- Streams of events whose ids are computed from a business key. Two creates of one business key
-- compute the same id, and the primary key of the ids refuses the second one: no reservation is
-- written before, and nothing has to be cleaned up later.
--
-- An id is a keyed hash: see DeterministicStreamIds. The business key itself is stored nowhere. The
-- deployment can rotate its key, so a business key has one id for each configured key. A create
-- takes all of them at once. Without this, an instance with a new key would create a second stream
-- beside one that was created with the old key, at any time or in a race with it.
--
-- Locks: creates new tables. It locks request_result while it replaces a check and reads the rows,
-- which are those of one idempotency window.

-- The deployment keys that were in force when a stream was created, by a fingerprint that does not
-- reveal the key. A service with another secret under the same version, or without this version,
-- would give a known business key a new id; it does not start.
CREATE TABLE stream_secret (
    version     int         NOT NULL,
    fingerprint bytea       NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT stream_secret_key PRIMARY KEY (version),
    CONSTRAINT stream_secret_version_positive CHECK (version > 0),
    CONSTRAINT stream_secret_fingerprint_form CHECK (length(fingerprint) = 16)
);

CREATE TRIGGER stream_secret_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON stream_secret
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

GRANT SELECT, INSERT ON stream_secret TO holdfast_service;
GRANT SELECT (version, recorded_at) ON stream_secret TO holdfast_auditor;

-- Every id of a stream: its own, and the one under each further key that was configured when it was
-- created. The primary key makes a second stream of one business key impossible.
CREATE TABLE stream_alias (
    alias     text NOT NULL,
    stream_id text NOT NULL,
    CONSTRAINT stream_alias_key PRIMARY KEY (alias),
    CONSTRAINT stream_alias_form CHECK (alias ~ '^[A-Za-z][A-Za-z0-9]{0,63}:[0-9A-Za-z]{16}$')
);

CREATE TRIGGER stream_alias_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON stream_alias
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

GRANT SELECT, INSERT ON stream_alias TO holdfast_service;
GRANT SELECT ON stream_alias TO holdfast_auditor;

-- There is no foreign key to stream_secret: every create would lock the same row.
CREATE TABLE stream (
    stream_id   text        NOT NULL,
    entity_type text        NOT NULL,
    caller      text        NOT NULL,
    key_version int         NOT NULL, -- of the key that made stream_id
    version     bigint      NOT NULL, -- of the last event
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT stream_key PRIMARY KEY (stream_id),
    CONSTRAINT stream_has_its_id FOREIGN KEY (stream_id) REFERENCES stream_alias (alias),
    CONSTRAINT stream_id_names_its_type CHECK (starts_with(stream_id, entity_type || ':')),
    CONSTRAINT stream_version_positive CHECK (version > 0),
    CONSTRAINT stream_key_version_positive CHECK (key_version > 0)
);

CREATE FUNCTION stream_only_grows() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.version > OLD.version
       AND to_jsonb(NEW) - 'version' = to_jsonb(OLD) - 'version' THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a stream stays as it was created; only its version grows'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'stream_only_grows';
END
$$;

CREATE TRIGGER stream_only_grows
    BEFORE UPDATE ON stream
    FOR EACH ROW EXECUTE FUNCTION stream_only_grows();

CREATE TRIGGER stream_is_for_ever
    BEFORE DELETE OR TRUNCATE ON stream
    FOR EACH STATEMENT EXECUTE FUNCTION stream_only_grows();

GRANT SELECT, INSERT ON stream TO holdfast_service;
GRANT UPDATE (version) ON stream TO holdfast_service;
GRANT SELECT ON stream TO holdfast_auditor;

-- The events of a stream, numbered from 1. data is the JSON object that the caller sent, as text:
-- jsonb would refuse some texts and change the form of numbers.
CREATE TABLE stream_event (
    stream_id   text        NOT NULL,
    version     bigint      NOT NULL,
    type        text        NOT NULL,
    data        text        NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT stream_event_key PRIMARY KEY (stream_id, version),
    CONSTRAINT stream_event_of_stream FOREIGN KEY (stream_id) REFERENCES stream (stream_id),
    CONSTRAINT stream_event_version_positive CHECK (version > 0),
    CONSTRAINT stream_event_data_is_object CHECK (data IS JSON OBJECT)
);

CREATE TRIGGER stream_event_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON stream_event
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

GRANT SELECT, INSERT ON stream_event TO holdfast_service;

-- Every column but the data, which can contain personal values. The checks do not need them.
GRANT SELECT (stream_id, version, type, recorded_at) ON stream_event TO holdfast_auditor;

-- The word of the route that appends to streams.
ALTER TABLE request_result
    DROP CONSTRAINT request_result_route_known,
    ADD CONSTRAINT request_result_route_known
        CHECK (route IN ('create_pool', 'create_key', 'revoke_key', 'create_authorization',
                         'create_checkout', 'resume_checkout', 'void_commitment',
                         'create_webhook', 'delete_webhook', 'replay_webhook', 'shred_subject',
                         'append_stream'));
