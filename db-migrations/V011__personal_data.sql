-- Personal data: the encryption key of each person, the events that contain values encrypted with
-- it, and the record of each shredding. Events are append-only, so a person's data is erased by
-- deleting the key. Holds and commitments get a pseudonym in place of the requester.
--
-- Locks: creates new tables only.

-- Shredding deletes the key and leaves the row. A person who returns later gets a new key.
CREATE TABLE person_key (
    id          bigint      GENERATED ALWAYS AS IDENTITY,
    person_hash bytea       NOT NULL,
    secret      bytea,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    shredded_at timestamptz,
    CONSTRAINT person_key_key PRIMARY KEY (id),
    CONSTRAINT person_key_hash_is_sha256 CHECK (length(person_hash) = 32),
    CONSTRAINT person_key_secret_is_256_bits CHECK (length(secret) = 32),
    CONSTRAINT person_key_gone_once_shredded CHECK ((secret IS NULL) = (shredded_at IS NOT NULL))
);

CREATE UNIQUE INDEX person_key_one_live ON person_key (person_hash) WHERE secret IS NOT NULL;

CREATE FUNCTION person_key_is_shredded_once() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'the key of a person stays as it was made; it can be shredded, once'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'person_key_is_shredded_once';
END
$$;

CREATE TRIGGER person_key_is_shredded_once
    BEFORE UPDATE ON person_key
    FOR EACH ROW WHEN (
        OLD.secret IS NULL OR NEW.secret IS NOT NULL
        OR (OLD.id, OLD.person_hash, OLD.created_at)
           IS DISTINCT FROM (NEW.id, NEW.person_hash, NEW.created_at))
    EXECUTE FUNCTION person_key_is_shredded_once();

CREATE TRIGGER person_key_is_for_ever
    BEFORE DELETE OR TRUNCATE ON person_key
    FOR EACH STATEMENT EXECUTE FUNCTION person_key_is_shredded_once();

GRANT SELECT, INSERT ON person_key TO holdfast_service;
GRANT UPDATE (secret, shredded_at) ON person_key TO holdfast_service;

-- Every column but the secret, which decrypts personal data.
GRANT SELECT (id, person_hash, created_at, shredded_at) ON person_key TO holdfast_auditor;

-- The events that have values encrypted with a key.
CREATE TABLE event_person (
    key_id bigint NOT NULL,
    pool   text   NOT NULL,
    seq    bigint NOT NULL,
    fields text[] NOT NULL,
    CONSTRAINT event_person_key PRIMARY KEY (key_id, pool, seq)
);

CREATE TRIGGER event_person_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON event_person
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

GRANT SELECT, INSERT ON event_person TO holdfast_service;
GRANT SELECT ON event_person TO holdfast_auditor;

-- Numbers the pseudonyms.
CREATE SEQUENCE shredding_number;

GRANT USAGE ON SEQUENCE shredding_number TO holdfast_service;

-- What each shredding made unreadable. The pseudonym replaces the requester in holds and
-- commitments. A sale event is built from those rows, so the pseudonym in them must lead to the
-- time of the shredding.
CREATE TABLE shredding (
    id              bigint      GENERATED ALWAYS AS IDENTITY,
    correlation_id  text        NOT NULL,
    caller          text        NOT NULL, -- who requested the shredding
    person_hash     bytea       NOT NULL,
    fields          text[]      NOT NULL, -- paths in events
    parts           bigint      NOT NULL, -- the number of values at these paths
    events          bigint      NOT NULL,
    holds           bigint      NOT NULL,
    commitments     bigint      NOT NULL,
    shredded_at     timestamptz NOT NULL,
    pseudonym       text        DEFAULT 'shredded:' || currval('shredding_number'),
    CONSTRAINT shredding_key PRIMARY KEY (id)
);

CREATE UNIQUE INDEX shredding_pseudonym_once ON shredding (pseudonym);

CREATE TRIGGER shredding_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON shredding
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

GRANT SELECT, INSERT ON shredding TO holdfast_service;
GRANT SELECT ON shredding TO holdfast_auditor;
