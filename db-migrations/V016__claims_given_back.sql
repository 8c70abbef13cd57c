-- A hold whose claim was given back, because its payment was declined, is held as before, so it may
-- claim or buy its items again: at the fence that they have kept, which is its own and nobody else's
-- (hold_fence_once). That it sells an item only once stays with commitment_key.
--
-- Locks: none; replaces the function of a trigger.

CREATE OR REPLACE FUNCTION item_changes_by_the_rules() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
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
