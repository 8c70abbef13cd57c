-- A pool is what holds are taken from. Postgres numbers the lives of Redis' memory here: a fence
-- carries the epoch in its high bits, so fences keep growing when Redis has lost its counter. That
-- is why the epoch of a name may never fall, whatever the code above it does, and why a pool is
-- never deleted or renamed: its name would start over at epoch 0.
--
-- Locks: creates a new table only.

CREATE TABLE pool (
    pool       text        NOT NULL,
    kind       text        NOT NULL,
    epoch      bigint      NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pool_key PRIMARY KEY (pool),
    CONSTRAINT pool_name_form CHECK (pool ~ '^[A-Za-z0-9._-]{1,64}$'),
    CONSTRAINT pool_kind_known CHECK (kind IN ('SEATS', 'STOCK', 'UNIQUE', 'AUCTION')),
    CONSTRAINT pool_epoch_fits_fence CHECK (epoch BETWEEN 0 AND 2147483647)
);

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
