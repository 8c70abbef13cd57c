-- Metadata of holds and checkouts: what a caller stores with them, which may name a person. So a
-- shredding may erase it: the text of any metadata becomes '{}', at any time after the end of the
-- hold. Nothing else about an ended hold or checkout may change.
--
-- Locks: ACCESS EXCLUSIVE on hold and checkout for an instant. No rows are read or written.

GRANT UPDATE (metadata) ON hold TO holdfast_service;

CREATE OR REPLACE FUNCTION hold_end_is_final() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    IF NEW IS NOT DISTINCT FROM OLD
       OR (NEW.requester = OLD.requester OR NEW.requester LIKE 'shredded:%')
          AND (NEW.metadata = OLD.metadata OR NEW.metadata = '{}')
          AND to_jsonb(OLD) - 'requester' - 'metadata' = to_jsonb(NEW) - 'requester' - 'metadata' THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'hold % is % and stays as it is', OLD.hold_id, OLD.state
        USING ERRCODE = 'check_violation', CONSTRAINT = 'hold_end_is_final';
END
$$;

-- As before, and the metadata of an ended hold may be erased.
DROP TRIGGER hold_origin_is_fixed ON hold;

CREATE TRIGGER hold_origin_is_fixed
    BEFORE UPDATE OF pool, hold_id, caller, requester, items, quantity, metadata, amount_cents, fence,
                     salt, token, placed_at, lease_ms, expires_at ON hold
    FOR EACH ROW WHEN (
        OLD.pool <> NEW.pool OR OLD.hold_id <> NEW.hold_id OR OLD.caller <> NEW.caller
        OR OLD.requester <> NEW.requester
           AND (OLD.state = 'HELD' OR NEW.requester NOT LIKE 'shredded:%')
        OR OLD.quantity IS DISTINCT FROM NEW.quantity
           AND (NEW.state = 'CONFIRMED' AND NEW.quantity < OLD.quantity) IS NOT TRUE
        OR OLD.items <> NEW.items
           AND (NEW.items = OLD.items[1:NEW.quantity]) IS NOT TRUE
           AND (OLD.amount_cents > 0 AND NEW.state = 'CONFIRMED' AND NEW.items = '{lot}') IS NOT TRUE
        OR OLD.amount_cents IS DISTINCT FROM NEW.amount_cents
        OR OLD.metadata <> NEW.metadata AND (OLD.state = 'HELD' OR NEW.metadata <> '{}')
        OR OLD.fence <> NEW.fence
        OR OLD.salt <> NEW.salt OR OLD.token <> NEW.token OR OLD.placed_at <> NEW.placed_at
        OR OLD.expires_at <> NEW.expires_at OR OLD.lease_ms <> NEW.lease_ms)
    EXECUTE FUNCTION hold_origin_is_fixed();

ALTER TABLE checkout ADD COLUMN metadata text NOT NULL DEFAULT '';
GRANT UPDATE (metadata) ON checkout TO holdfast_service;

CREATE FUNCTION checkout_metadata_is_fixed() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'checkout % keeps its metadata until it is erased', OLD.checkout_id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'checkout_metadata_is_fixed';
END
$$;

CREATE TRIGGER checkout_metadata_is_fixed
    BEFORE UPDATE OF metadata ON checkout
    FOR EACH ROW WHEN (OLD.metadata <> NEW.metadata AND NEW.metadata <> '{}')
    EXECUTE FUNCTION checkout_metadata_is_fixed();

-- As before, except that an erasure is not a transition: this trigger names every other column.
DROP TRIGGER checkout_goes_by_the_rules ON checkout;

CREATE TRIGGER checkout_goes_by_the_rules
    BEFORE UPDATE OF pool, checkout_id, saga, caller, requester, hold_id, fence, provider, method,
                     amount_cents, currency, phase, steps_done, tries, failure_code, failure,
                     claim_until, replacement_id, refund_cents, lease_no, lease_until, next_at,
                     created_at, changed_at, ended_at ON checkout
    FOR EACH ROW EXECUTE FUNCTION checkout_goes_by_the_rules();
