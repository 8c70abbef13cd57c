-- Erasure: what the service writes for ever has no requester and no text that a caller chose. It has
-- a pseudonym of the requester instead, and a hash in the place of the text.
--
-- The pseudonym of a person is computed from the person's key and is null without it, and the hash of
-- the person goes with the key, so a shredding leaves no way from the name to the pseudonym. The hash of
-- a logical key stays, because a consumed logical key stays consumed whoever was shredded.
--
-- Locks: ACCESS EXCLUSIVE on person_key, which is rewritten, and on consumed_request and shredding,
-- whose rows are rewritten: a logical key that was consumed before must be found by its hash. On hold,
-- commitment and checkout for an instant; their rows are neither read nor written. Writes of
-- request_result and checkout wait until the new indexes are built, which read all their rows.

-- A person's key is made by the statement that needs the pseudonym, so Postgres draws it: two random
-- UUIDs have 244 random bits.
ALTER TABLE person_key
    ALTER COLUMN secret SET DEFAULT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()),
    ADD COLUMN pseudonym text GENERATED ALWAYS AS
        ('p:' || substr(encode(sha256('\x70736575646f6e796d'::bytea || secret), 'hex'), 1, 32)) STORED;

-- A key that is destroyed forgets whose it was. Otherwise the hash of a name would lead to the events
-- that were encrypted with the key, and those to the holds and their pseudonyms.
ALTER TABLE person_key ALTER COLUMN person_hash DROP NOT NULL;

GRANT UPDATE (person_hash) ON person_key TO holdfast_service;

DROP TRIGGER person_key_is_shredded_once ON person_key;

UPDATE person_key SET person_hash = NULL WHERE secret IS NULL;

CREATE TRIGGER person_key_is_shredded_once
    BEFORE UPDATE ON person_key
    FOR EACH ROW WHEN (
        OLD.secret IS NULL OR NEW.secret IS NOT NULL
        OR (OLD.id, OLD.created_at) IS DISTINCT FROM (NEW.id, NEW.created_at)
        OR NEW.person_hash <> OLD.person_hash)
    EXECUTE FUNCTION person_key_is_shredded_once();

-- Nor does the record of a shredding tell whose it was.
ALTER TABLE shredding ALTER COLUMN person_hash DROP NOT NULL;
ALTER TABLE shredding DISABLE TRIGGER shredding_is_append_only;
UPDATE shredding SET person_hash = NULL;
ALTER TABLE shredding ENABLE TRIGGER shredding_is_append_only;

-- What a shredding still has to do after its transaction, in stored answers and in Redis, where the
-- name is until then. The row is deleted when that is done.
CREATE TABLE unfinished_erasure (
    caller      text        NOT NULL,
    requester   text        NOT NULL,
    pseudonym   text        NOT NULL,
    pools       text[]      NOT NULL,
    shredded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT unfinished_erasure_key PRIMARY KEY (pseudonym)
);

-- The auditor has no grant: the row has a name, and proves nothing.
GRANT SELECT, INSERT, DELETE ON unfinished_erasure TO holdfast_service;

-- A shredding walks the answers that can name a person, in parts by this key. Those of the three routes
-- cannot: they are many, and most writes are theirs, which this index does not slow down.
CREATE INDEX request_result_of_persons ON request_result (caller, route, token_hash)
    WHERE route NOT IN ('create_checkout', 'create_authorization', 'append_stream');

-- It finds the checkouts of a person by their requester. A checkout gets its entry when it ends.
CREATE INDEX checkout_of_requester ON checkout (caller, requester) WHERE ended_at IS NOT NULL;

-- While a person is known, the auditor proves with it that a requester belongs to a pseudonym.
GRANT SELECT (pseudonym) ON person_key TO holdfast_auditor;

-- What is kept of a text that a caller chose. Equal texts have equal hashes. STABLE as convert_to is:
-- an IMMUTABLE function would not be inlined.
CREATE FUNCTION hashed(given text) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN 'sha256:' || encode(sha256(convert_to(given, 'UTF8')), 'hex');

-- A text that a caller chose, or its hash if the requester is named in it. A name of one or two
-- characters is part of too many texts that are not about the person.
CREATE FUNCTION without_name(given text, requester text) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN given = requester OR length(requester) > 2 AND strpos(given, requester) > 0
                THEN hashed(given) ELSE given END;

-- Which field of a stored outcome is the requester; null if it has none.
CREATE FUNCTION outcome_person(outcome text) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE split_part(outcome, E'\t', 1)
           WHEN 'HELD' THEN 6 WHEN 'SAME' THEN 6 WHEN 'CONFIRMED' THEN 6 WHEN 'RELEASED' THEN 6
           WHEN 'EXPIRED' THEN 6 WHEN 'TICKET_LEFT' THEN 6 WHEN 'TICKET_EXPIRED' THEN 6
           WHEN 'TICKET_REQUEUED' THEN 6 WHEN 'TICKET_JOINED' THEN 9 WHEN 'TICKET_SAME' THEN 9 END;

-- A stored outcome with another text in the place of the requester of its hold or ticket, and with
-- other metadata if it has any. Its fields are a word, and then those of the record. The records of
-- tickets that joined follow three fields of their position.
CREATE FUNCTION unnamed_outcome(outcome text, name text, metadata text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN outcome_person(outcome) IS NULL THEN outcome ELSE
           (SELECT string_agg(CASE WHEN n = outcome_person(outcome) THEN name
                                   WHEN n = 17 AND field <> '' THEN metadata
                                   ELSE field END, E'\t' ORDER BY n)
              FROM string_to_table(outcome, E'\t') WITH ORDINALITY AS part (field, n)) END;

-- A hold keeps the pseudonym that its journal lines have, also after its requester was shredded.
-- Empty for holds of earlier versions.
ALTER TABLE hold ADD COLUMN pseudonym text NOT NULL DEFAULT '';

CREATE FUNCTION hold_pseudonym_is_fixed() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'hold % keeps its pseudonym', OLD.hold_id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'hold_pseudonym_is_fixed';
END
$$;

CREATE TRIGGER hold_pseudonym_is_fixed
    BEFORE UPDATE OF pseudonym ON hold
    FOR EACH ROW WHEN (OLD.pseudonym <> NEW.pseudonym)
    EXECUTE FUNCTION hold_pseudonym_is_fixed();

-- Consumed logical keys and orders of earlier versions get the form of new ones.
ALTER TABLE consumed_request DISABLE TRIGGER consumed_request_is_append_only;
UPDATE consumed_request SET logical_key = hashed(logical_key), order_id = hashed(order_id);
ALTER TABLE consumed_request ENABLE TRIGGER consumed_request_is_append_only;

-- Attempts of earlier versions have the logical key itself, later ones have its hash.
CREATE OR REPLACE FUNCTION attempt_is_needed(a attempt) RETURNS boolean
    LANGUAGE sql STABLE AS
$$
    SELECT a.recorded_at >= records_since() - interval '1 hour'
        OR a.outcome = 'CONFIRMED' AND a.detail <> 'replayed'
           AND EXISTS (SELECT 1 FROM consumed_request q
                        WHERE q.pool = a.pool AND q.caller = a.caller
                          AND q.logical_key IN (a.logical_key, hashed(a.logical_key))
                          AND q.token = a.token)
        OR EXISTS (SELECT 1 FROM token_result t
                    WHERE t.pool = a.pool AND t.caller = a.caller AND t.token = a.token
                      AND t.window_until > clock_timestamp())
$$;

-- A shredding hashes the logical key and the order of a sale if they contain the requester. The hashes
-- are those in consumed_request, so the records still belong together.
GRANT UPDATE (order_id, logical_key) ON commitment TO holdfast_service;

DROP TRIGGER commitment_is_voided_once ON commitment;

CREATE TRIGGER commitment_is_voided_once
    BEFORE UPDATE ON commitment
    FOR EACH ROW WHEN (
        (OLD.voided_at IS NOT NULL OR NEW.voided_at IS NULL
         OR (OLD.pool, OLD.item, OLD.hold_id, OLD.fence, OLD.caller, OLD.requester, OLD.order_id,
             OLD.logical_key, OLD.price_cents, OLD.currency, OLD.committed_at)
            IS DISTINCT FROM
            (NEW.pool, NEW.item, NEW.hold_id, NEW.fence, NEW.caller, NEW.requester, NEW.order_id,
             NEW.logical_key, NEW.price_cents, NEW.currency, NEW.committed_at))
        AND NOT (NEW.requester LIKE 'shredded:%'
                 AND NEW.order_id IN (OLD.order_id, hashed(OLD.order_id))
                 AND NEW.logical_key IN (OLD.logical_key, hashed(OLD.logical_key))
                 AND to_jsonb(OLD.*) - '{requester,order_id,logical_key}'::text[]
                     = to_jsonb(NEW.*) - '{requester,order_id,logical_key}'::text[]))
    EXECUTE FUNCTION commitment_is_for_ever();

-- A checkout forgets its requester and its logical key as it forgets its metadata.
GRANT UPDATE (requester, logical_key) ON checkout TO holdfast_service;

DROP TRIGGER checkout_metadata_is_fixed ON checkout;

CREATE TRIGGER checkout_metadata_is_fixed
    BEFORE UPDATE OF metadata, requester, logical_key ON checkout
    FOR EACH ROW WHEN (
        OLD.metadata <> NEW.metadata AND NEW.metadata <> '{}'
        OR OLD.requester <> NEW.requester
           AND (OLD.ended_at IS NULL OR NEW.requester NOT LIKE 'shredded:%')
        OR OLD.logical_key IS DISTINCT FROM NEW.logical_key
           AND NEW.logical_key IS DISTINCT FROM hashed(OLD.logical_key))
    EXECUTE FUNCTION checkout_metadata_is_fixed();

DROP TRIGGER checkout_goes_by_the_rules ON checkout;

CREATE TRIGGER checkout_goes_by_the_rules
    BEFORE UPDATE OF pool, checkout_id, saga, caller, hold_id, fence, provider, method,
                     amount_cents, currency, phase, steps_done, tries, failure_code, failure,
                     claim_until, replacement_id, refund_cents, lease_no, lease_until, next_at,
                     created_at, changed_at, ended_at ON checkout
    FOR EACH ROW EXECUTE FUNCTION checkout_goes_by_the_rules();
