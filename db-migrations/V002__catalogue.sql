-- What a pool offers and by which rules: its policy, and its items with their places and prices.
-- Seeding fills Redis from here, so an item that was once offered stays known for ever, as its pool
-- does: a hold or a sale of long ago must still be able to name it.
--
-- An epoch is kept below 2^21 from now on. A fence is epoch << 32 | sequence and has to stay below
-- 2^53, the whole numbers that Lua and JavaScript count exactly.
--
-- Locks: pool, exclusively, for as long as it takes to read it through once; creates a new table.

ALTER TABLE pool
    DROP CONSTRAINT pool_epoch_fits_fence,
    ADD CONSTRAINT pool_fence_below_2_53 CHECK (epoch BETWEEN 0 AND 2097151),
    ADD COLUMN policy     jsonb   NOT NULL DEFAULT '{}',
    ADD COLUMN item_count integer NOT NULL DEFAULT 0,
    ADD COLUMN capacity   bigint,
    ADD COLUMN created_by text,
    ADD CONSTRAINT pool_item_count_not_negative CHECK (item_count >= 0),
    ADD CONSTRAINT pool_capacity_positive CHECK (capacity > 0);

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
    CONSTRAINT item_key PRIMARY KEY (pool, item),
    CONSTRAINT item_ordinal_once UNIQUE (pool, ordinal),
    CONSTRAINT item_of_pool FOREIGN KEY (pool) REFERENCES pool (pool),
    CONSTRAINT item_price_not_negative CHECK (price_cents >= 0)
);

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
