-- Pools, the epochs of their fences, and their items. Holds are taken from a pool. The pool row has
-- the policy, the item rows have places and prices. Seeding loads Redis from these tables, so a
-- pool or an item is never deleted or renamed: old holds and sales still refer to it.
--
-- A fence is epoch << 32 | sequence. Redis counts the sequence and Postgres counts the epochs, so
-- fences keep growing after Redis has lost its counter. An epoch therefore never falls, and a
-- deleted pool name would start again at epoch 0. Epochs stay below 2^21, because a fence must stay
-- below 2^53, the largest range of integers that Lua and JavaScript represent exactly.
--
-- Locks: creates new tables only.

CREATE TABLE pool (
    pool       text        NOT NULL,
    kind       text        NOT NULL,
    epoch      bigint      NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    policy     jsonb       NOT NULL DEFAULT '{}',
    item_count integer     NOT NULL DEFAULT 0,
    capacity   bigint,
    created_by text,
    CONSTRAINT pool_key PRIMARY KEY (pool),
    CONSTRAINT pool_name_form CHECK (pool ~ '^[A-Za-z0-9._-]{1,64}$'),
    CONSTRAINT pool_kind_known CHECK (kind IN ('SEATS', 'STOCK', 'UNIQUE', 'AUCTION')),
    CONSTRAINT pool_fence_below_2_53 CHECK (epoch BETWEEN 0 AND 2097151),
    CONSTRAINT pool_item_count_not_negative CHECK (item_count >= 0),
    CONSTRAINT pool_capacity_positive CHECK (capacity > 0)
);

-- Every instance asks which pools are new since it last asked, and not for all of them.
CREATE INDEX pool_created_at ON pool (created_at);

CREATE FUNCTION pool_epoch_never_falls() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    IF NEW.epoch < OLD.epoch THEN
        RAISE EXCEPTION 'the epoch of pool % cannot fall from % to %', OLD.pool, OLD.epoch, NEW.epoch
            USING ERRCODE = 'check_violation', CONSTRAINT = 'pool_epoch_never_falls';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER pool_epoch_never_falls
    BEFORE UPDATE OF epoch ON pool
    FOR EACH ROW EXECUTE FUNCTION pool_epoch_never_falls();

CREATE FUNCTION pool_is_for_ever() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'a pool cannot be deleted or renamed, because its fences would start over'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'pool_is_for_ever';
END
$$;

CREATE TRIGGER pool_is_for_ever
    BEFORE DELETE OR TRUNCATE ON pool
    FOR EACH STATEMENT EXECUTE FUNCTION pool_is_for_ever();

CREATE TRIGGER pool_keeps_its_name
    BEFORE UPDATE OF pool ON pool
    FOR EACH ROW WHEN (OLD.pool IS DISTINCT FROM NEW.pool)
    EXECUTE FUNCTION pool_is_for_ever();

GRANT SELECT, INSERT ON pool TO holdfast_service;
GRANT UPDATE (epoch) ON pool TO holdfast_service;
GRANT SELECT ON pool TO holdfast_auditor;

-- One row per opened epoch: the cause, the Redis server (run_id), how far the journal of the
-- previous epoch had been drained, and how many of its holds were restored or lost.
CREATE TABLE fence_epoch (
    pool       text        NOT NULL,
    epoch      bigint      NOT NULL,
    cause      text        NOT NULL,
    run_id     text        NOT NULL,
    stream_ms  bigint      NOT NULL,
    stream_seq bigint      NOT NULL,
    restored   integer     NOT NULL,
    lost       integer     NOT NULL,
    opened_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT fence_epoch_key PRIMARY KEY (pool, epoch),
    CONSTRAINT fence_epoch_of_pool FOREIGN KEY (pool) REFERENCES pool (pool),
    CONSTRAINT fence_epoch_counts CHECK (restored >= 0 AND lost >= 0)
);

CREATE TRIGGER fence_epoch_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON fence_epoch
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

GRANT SELECT, INSERT ON fence_epoch TO holdfast_service;
GRANT SELECT ON fence_epoch TO holdfast_auditor;

CREATE TYPE item_status AS ENUM ('FREE', 'CLAIMED', 'SOLD');

-- The fill factor leaves room for HOT updates: every item is updated when it is claimed or sold.
CREATE TABLE item (
    pool        text             NOT NULL,
    item        text             NOT NULL,
    ordinal     integer          NOT NULL,
    section     text,
    row         text,
    number      integer,
    x           double precision,
    y           double precision,
    price_cents bigint           NOT NULL DEFAULT 0,
    status      item_status      NOT NULL DEFAULT 'FREE',
    fence       bigint           NOT NULL DEFAULT 0, -- of the last claim or sale
    holder      text,                                -- the hold that has claimed or bought the item
    version     bigint           NOT NULL DEFAULT 0,
    claim_until timestamptz,
    CONSTRAINT item_key PRIMARY KEY (pool, item),
    CONSTRAINT item_ordinal_once UNIQUE (pool, ordinal),
    CONSTRAINT item_of_pool FOREIGN KEY (pool) REFERENCES pool (pool),
    CONSTRAINT item_price_not_negative CHECK (price_cents >= 0),
    CONSTRAINT item_fence_fits CHECK (fence BETWEEN 0 AND 9007199254740991),
    CONSTRAINT item_holder_unless_free CHECK ((status = 'FREE') = (holder IS NULL)),
    CONSTRAINT item_claim_ends CHECK ((status = 'CLAIMED') = (claim_until IS NOT NULL))
) WITH (fillfactor = 80);

CREATE FUNCTION item_is_for_ever() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'an item cannot be deleted or renamed, because holds and sales name it'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'item_is_for_ever';
END
$$;

CREATE TRIGGER item_is_for_ever
    BEFORE DELETE OR TRUNCATE ON item
    FOR EACH STATEMENT EXECUTE FUNCTION item_is_for_ever();

CREATE TRIGGER item_keeps_its_name
    BEFORE UPDATE OF pool, item ON item
    FOR EACH ROW WHEN ((OLD.pool, OLD.item) IS DISTINCT FROM (NEW.pool, NEW.item))
    EXECUTE FUNCTION item_is_for_ever();

-- The transitions between FREE, CLAIMED and SOLD:
--   * A free item is claimed or sold at a higher fence.
--   * A claimed item is sold or given back at the fence of the claim.
--   * A hold whose claim was given back, because its payment was declined, is still held. It may
--     claim or sell the item again at the fence that the item has kept. That fence belongs to this
--     hold alone (hold_fence_once), and commitment_key lets it sell the item only once.
--   * A sold item becomes free only after its commitment is voided. It keeps its fence.
-- hold and commitment are created by later migrations; the function reads them when it runs.
CREATE FUNCTION item_changes_by_the_rules() RETURNS trigger
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
    NEW.version := OLD.version + 1;
    IF OLD.status = 'FREE' THEN
        IF NEW.fence > OLD.fence AND NEW.status <> 'FREE'
           OR NEW.fence = OLD.fence AND NEW.status = 'FREE' THEN
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

-- Without a WHEN clause: Postgres would parse the clause anew for every statement.
CREATE TRIGGER item_changes_by_the_rules
    BEFORE UPDATE ON item
    FOR EACH ROW EXECUTE FUNCTION item_changes_by_the_rules();

GRANT SELECT, INSERT ON item TO holdfast_service;
GRANT UPDATE (status, fence, holder, claim_until) ON item TO holdfast_service;
GRANT SELECT ON item TO holdfast_auditor;
