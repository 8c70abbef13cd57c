-- Pools of a quantity (STOCK) and of values (UNIQUE). Their items are not in a catalogue: a unit or
-- a value becomes an item when it is first claimed or sold.
--
-- A pool of the kind STOCK has one row in stock. A sale is a compare-and-set on its version, which
-- every change of sold and capacity increments. Each sold or claimed unit also has its item, so that
-- the counts can be proven from the records. The constraints are the last defence against an
-- oversold pool.
--
-- Locks: ACCESS EXCLUSIVE on item, hold, reversal and request_result for an instant. The new
-- key of reversal and the new check of request_result read these small tables; no other rows are
-- read or written.

CREATE TABLE stock (
    pool        text   NOT NULL,
    capacity    bigint NOT NULL,
    sold        bigint NOT NULL DEFAULT 0,
    claimed     bigint NOT NULL DEFAULT 0, -- by running checkouts
    price_cents bigint NOT NULL,
    version     bigint NOT NULL DEFAULT 0,
    CONSTRAINT stock_key PRIMARY KEY (pool),
    CONSTRAINT stock_of_pool FOREIGN KEY (pool) REFERENCES pool (pool),
    CONSTRAINT stock_sold_within_capacity CHECK (sold BETWEEN 0 AND capacity),
    CONSTRAINT stock_claimed_within_capacity CHECK (claimed BETWEEN 0 AND capacity - sold),
    CONSTRAINT stock_capacity_fits CHECK (capacity BETWEEN 0 AND 1000000000),
    CONSTRAINT stock_price_not_negative CHECK (price_cents >= 0)
) WITH (fillfactor = 20);

GRANT SELECT, INSERT ON stock TO holdfast_service;
GRANT UPDATE (capacity, sold, claimed, version) ON stock TO holdfast_service;
GRANT SELECT ON stock TO holdfast_auditor;

-- Values are numbered in the order of their first sale, so that they are read in pages like other
-- items. Units have no ordinal: Redis has their number only.
ALTER TABLE item ALTER COLUMN ordinal DROP NOT NULL;

CREATE SEQUENCE item_made AS integer;
GRANT USAGE ON SEQUENCE item_made TO holdfast_service;

-- What a caller stores with a hold: a JSON object, or nothing.
ALTER TABLE hold ADD COLUMN metadata text NOT NULL DEFAULT '';

-- Units of a CONFIRMED hold that were not sold.
ALTER TABLE hold ADD COLUMN freed_quantity bigint;

-- As before, and with two additions: the metadata is fixed, and a sale may take less than the whole
-- quantity of a hold.
DROP TRIGGER hold_origin_is_fixed ON hold;

CREATE TRIGGER hold_origin_is_fixed
    BEFORE UPDATE OF pool, hold_id, caller, requester, items, quantity, metadata, fence, salt,
                     token, placed_at, lease_ms, expires_at ON hold
    FOR EACH ROW WHEN (
        OLD.pool <> NEW.pool OR OLD.hold_id <> NEW.hold_id OR OLD.caller <> NEW.caller
        OR OLD.requester <> NEW.requester
           AND (OLD.state = 'HELD' OR NEW.requester NOT LIKE 'shredded:%')
        OR OLD.quantity IS DISTINCT FROM NEW.quantity
           AND (NEW.state = 'CONFIRMED' AND NEW.quantity < OLD.quantity) IS NOT TRUE
        OR OLD.items <> NEW.items
           AND (NEW.items = OLD.items[1:NEW.quantity]) IS NOT TRUE
        OR OLD.metadata <> NEW.metadata OR OLD.fence <> NEW.fence
        OR OLD.salt <> NEW.salt OR OLD.token <> NEW.token OR OLD.placed_at <> NEW.placed_at
        OR OLD.expires_at <> NEW.expires_at OR OLD.lease_ms <> NEW.lease_ms)
    EXECUTE FUNCTION hold_origin_is_fixed();

-- A confirm of a part of a quantity writes both.
GRANT UPDATE (items, quantity, freed_quantity) ON hold TO holdfast_service;

-- Units of one sale can be voided in parts, so a sale may have several reversals.
ALTER TABLE reversal ADD COLUMN quantity bigint;
ALTER TABLE reversal DROP CONSTRAINT reversal_key;
ALTER TABLE reversal ADD CONSTRAINT reversal_key PRIMARY KEY (pool, hold_id, reversal_id);

-- The words of the routes that change pools and give reserved values back.
ALTER TABLE request_result
    DROP CONSTRAINT request_result_route_known,
    ADD CONSTRAINT request_result_route_known
        CHECK (route IN ('create_pool', 'change_pool', 'create_key', 'revoke_key',
                         'create_authorization', 'create_checkout', 'resume_checkout',
                         'void_commitment', 'create_webhook', 'delete_webhook', 'replay_webhook',
                         'shred_subject', 'append_stream', 'return_reservation'));
