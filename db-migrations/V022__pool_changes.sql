-- Changes of pools after their creation: the policy, the times of the sale, prices, added items, and
-- items that are taken out of sale. Every change is recorded with who made it. A change of the row of a
-- pool gives it the next version, by which instances and Redis know what is newer.
--
-- An item that is out of sale is BLOCKED. Only a free item is blocked, and a blocked one becomes
-- nothing but free, so it cannot be claimed or sold whatever Redis says of it.
--
-- items_max limits the items that a requester may buy. It is computed from the policy, so that the
-- transaction of a sale reads it from the row of the pool that it locks anyway.
--
-- Locks: ACCESS EXCLUSIVE on pool, item and request_result. pool is rewritten, item and
-- request_result are read once for their new checks.

ALTER TYPE item_status ADD VALUE 'BLOCKED';

-- A BLOCKED item has no holder. The new value cannot be named in the transaction that adds it.
ALTER TABLE item
    DROP CONSTRAINT item_holder_unless_free,
    ADD CONSTRAINT item_holder_unless_free
        CHECK ((status IN ('CLAIMED', 'SOLD')) = (holder IS NOT NULL));

-- As before, and with BLOCKED. The price of an item may change while it is free or blocked.
CREATE OR REPLACE FUNCTION item_changes_by_the_rules() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    IF NEW IS NOT DISTINCT FROM OLD THEN
        RETURN NEW;
    END IF;
    IF NEW.fence < OLD.fence THEN
        RAISE EXCEPTION 'the fence of item % of pool % cannot fall from % to %',
                        OLD.item, OLD.pool, OLD.fence, NEW.fence
            USING ERRCODE = 'check_violation', CONSTRAINT = 'item_fence_never_falls';
    END IF;
    IF NEW.price_cents <> OLD.price_cents AND OLD.status IN ('CLAIMED', 'SOLD') THEN
        RAISE EXCEPTION 'item % of pool % is % and keeps its price', OLD.item, OLD.pool, OLD.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'item_keeps_its_price';
    END IF;
    NEW.version := OLD.version + 1;
    IF OLD.status = 'FREE' THEN
        IF NEW.fence > OLD.fence AND NEW.status IN ('CLAIMED', 'SOLD')
           OR NEW.fence = OLD.fence AND NEW.status IN ('FREE', 'BLOCKED') THEN
            RETURN NEW;
        END IF;
        IF NEW.fence = OLD.fence
           AND EXISTS (SELECT 1 FROM hold h
                        WHERE h.pool = NEW.pool AND h.fence = NEW.fence AND h.hold_id = NEW.holder)
           AND NOT EXISTS (SELECT 1 FROM commitment c
                            WHERE c.pool = OLD.pool AND c.item = OLD.item
                              AND c.fence = OLD.fence) THEN
            RETURN NEW;
        END IF;
    ELSIF OLD.status = 'BLOCKED' THEN
        IF NEW.fence = OLD.fence AND NEW.status IN ('FREE', 'BLOCKED') THEN
            RETURN NEW;
        END IF;
    ELSIF NEW.fence = OLD.fence THEN
        IF NEW.holder = OLD.holder AND (OLD.status, NEW.status) <> ('SOLD', 'CLAIMED')
           OR OLD.status = 'CLAIMED' AND NEW.status = 'FREE' THEN
            RETURN NEW;
        END IF;
        IF NEW.status = 'FREE'
           AND NOT EXISTS (SELECT 1 FROM commitment c
                            WHERE c.pool = OLD.pool AND c.item = OLD.item
                              AND c.voided_at IS NULL) THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'item % of pool % cannot go from % at fence % to % at fence %',
                    OLD.item, OLD.pool, OLD.status, OLD.fence, NEW.status, NEW.fence
        USING ERRCODE = 'check_violation', CONSTRAINT = 'item_changes_by_the_rules';
END
$$;

ALTER TABLE pool
    ADD COLUMN sales_from  timestamptz, -- null: no limit
    ADD COLUMN sales_until timestamptz,
    ADD COLUMN closed      boolean     NOT NULL DEFAULT false,
    ADD COLUMN version     bigint      NOT NULL DEFAULT 0,
    ADD COLUMN changed_at  timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN items_max   integer
        GENERATED ALWAYS AS ((policy ->> 'maxItemsPerRequester')::integer) STORED,
    ADD CONSTRAINT pool_sales_times CHECK (sales_from < sales_until),
    ADD CONSTRAINT pool_items_max_positive CHECK (items_max > 0);

-- Every instance asks which pools are new or changed since it last asked.
CREATE INDEX pool_changed_at ON pool (changed_at);

GRANT UPDATE (policy, item_count, sales_from, sales_until, closed, version, changed_at) ON pool
    TO holdfast_service;
GRANT UPDATE (price_cents) ON item TO holdfast_service;
GRANT UPDATE (price_cents) ON stock TO holdfast_service;

-- One row per change. items are those that were added, blocked or unblocked, or have another price. The
-- time is the same as that of sales: Postgres' clock in whole milliseconds, read under the locks.
CREATE TABLE pool_change (
    pool       text        NOT NULL,
    id         bigint      GENERATED ALWAYS AS IDENTITY,
    kind       text        NOT NULL,
    changed_by text        NOT NULL,
    changed_at timestamptz NOT NULL,
    reason     text,
    items      text[]      NOT NULL,
    detail     jsonb       NOT NULL, -- each changed value, before and after
    CONSTRAINT pool_change_key PRIMARY KEY (pool, id),
    CONSTRAINT pool_change_of_pool FOREIGN KEY (pool) REFERENCES pool (pool),
    CONSTRAINT pool_change_kind_known
        CHECK (kind IN ('CHANGED', 'ITEMS_ADDED', 'BLOCKED', 'UNBLOCKED'))
);

CREATE TRIGGER pool_change_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON pool_change
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

GRANT SELECT, INSERT ON pool_change TO holdfast_service;
GRANT SELECT ON pool_change TO holdfast_auditor;

ALTER TABLE request_result
    DROP CONSTRAINT request_result_route_known,
    ADD CONSTRAINT request_result_route_known
        CHECK (route IN ('create_pool', 'change_pool', 'add_items', 'block_items', 'unblock_items',
                         'create_key', 'revoke_key', 'create_authorization', 'create_checkout',
                         'resume_checkout', 'void_commitment', 'compensate_sale', 'create_webhook',
                         'delete_webhook', 'replay_webhook', 'shred_subject', 'append_stream',
                         'return_reservation', 'admit_tickets', 'revoke_pass', 'close_auction'));
