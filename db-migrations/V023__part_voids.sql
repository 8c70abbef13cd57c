-- Parts of sales can be voided, one after another, also of a sale that a checkout has paid. Each
-- part of a paid sale is a row of its own in checkout_step, whose undo refunds it. While such refunds
-- are under way, the checkout is in the phase REFUNDING, and then again DONE.
--
-- The terms of refunds are part of the policy of a pool. Every change of them is kept, so the terms
-- of a sale are those at its time, and a sale itself does not get slower.
--
-- Locks: ACCESS EXCLUSIVE on pool, reversal, checkout, checkout_step and payment_entry
-- for an instant. The new checks and the new index read reversal, checkout and checkout_step once.

-- The voided items, their price at the time of the sale, and what of it is refunded. Null in rows
-- that are older than these columns. A reversal with a quantity is one of a part.
ALTER TABLE reversal
    ADD COLUMN items        text[],
    ADD COLUMN value_cents  bigint,
    ADD COLUMN refund_cents bigint,
    ADD CONSTRAINT reversal_refund_within_value CHECK (refund_cents BETWEEN 0 AND value_cents);

-- Of the row of a part: the captured amount that is undone, and what of it is refunded.
ALTER TABLE checkout_step
    ADD COLUMN value_cents  bigint,
    ADD COLUMN refund_cents bigint,
    ADD CONSTRAINT checkout_step_part_is_whole
        CHECK ((value_cents IS NULL) = (refund_cents IS NULL)),
    ADD CONSTRAINT checkout_step_refund_within_value
        CHECK (refund_cents BETWEEN 0 AND value_cents);

ALTER TABLE checkout
    DROP CONSTRAINT checkout_phase_known,
    ADD CONSTRAINT checkout_phase_known
        CHECK (phase IN ('FORWARD', 'COMPENSATING', 'REFUNDING', 'DONE', 'COMPENSATED', 'STUCK'));

-- As before, and a fulfilled checkout may refund parts.
CREATE OR REPLACE FUNCTION checkout_goes_by_the_rules() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    IF NEW.lease_no < OLD.lease_no
       OR NOT (OLD.phase = NEW.phase AND OLD.phase IN ('FORWARD', 'COMPENSATING', 'REFUNDING')
               OR (OLD.phase, NEW.phase) IN (('FORWARD', 'DONE'), ('FORWARD', 'COMPENSATING'),
                                             ('FORWARD', 'COMPENSATED'), -- nothing was done yet
                                             ('COMPENSATING', 'COMPENSATED'),
                                             ('COMPENSATING', 'STUCK'), ('DONE', 'COMPENSATING'),
                                             ('STUCK', 'COMPENSATING'), ('DONE', 'REFUNDING'),
                                             ('REFUNDING', 'DONE'), ('REFUNDING', 'STUCK'),
                                             ('REFUNDING', 'COMPENSATING'),
                                             ('STUCK', 'REFUNDING'))) THEN
        RAISE EXCEPTION 'checkout % cannot go from % at lease % to % at lease %',
                        OLD.checkout_id, OLD.phase, OLD.lease_no, NEW.phase, NEW.lease_no
            USING ERRCODE = 'check_violation', CONSTRAINT = 'checkout_goes_by_the_rules';
    END IF;
    RETURN NEW;
END
$$;

-- Lists of the few checkouts that were not fulfilled.
CREATE INDEX checkout_undone ON checkout (pool, checkout_id)
    WHERE phase IN ('COMPENSATING', 'COMPENSATED', 'STUCK');

-- Never more is given back than was taken, whatever the code above it does.
CREATE FUNCTION payment_refunded_within_captured() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    IF (SELECT sum(CASE kind WHEN 'CAPTURED' THEN cents ELSE -cents END) < 0
          FROM payment_entry
         WHERE pool = NEW.pool AND checkout_id = NEW.checkout_id
           AND kind IN ('CAPTURED', 'REFUNDED', 'KEPT')) THEN
        RAISE EXCEPTION 'checkout % cannot give back more than it has captured', NEW.checkout_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'payment_refunded_within_captured';
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER payment_refunded_within_captured
    AFTER INSERT ON payment_entry
    FOR EACH ROW WHEN (NEW.kind IN ('REFUNDED', 'KEPT'))
    EXECUTE FUNCTION payment_refunded_within_captured();

-- The terms of refunds from a time on. A pool without a row has never had any.
CREATE TABLE refund_terms (
    pool           text        NOT NULL,
    since          timestamptz NOT NULL,
    fee_cents      bigint      NOT NULL, -- kept of each item
    within_seconds bigint,               -- after the sale; null: no limit
    CONSTRAINT refund_terms_key PRIMARY KEY (pool, since),
    CONSTRAINT refund_terms_of_pool FOREIGN KEY (pool) REFERENCES pool (pool),
    CONSTRAINT refund_terms_fee_not_negative CHECK (fee_cents >= 0),
    CONSTRAINT refund_terms_within_positive CHECK (within_seconds > 0)
);

CREATE TRIGGER refund_terms_are_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON refund_terms
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

GRANT SELECT, INSERT ON refund_terms TO holdfast_service;
GRANT SELECT ON refund_terms TO holdfast_auditor;

CREATE FUNCTION pool_keeps_its_refund_terms() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO refund_terms (pool, since, fee_cents, within_seconds)
    VALUES (NEW.pool,
            CASE TG_OP WHEN 'INSERT' THEN '-infinity'::timestamptz ELSE clock_timestamp() END,
            coalesce((NEW.policy ->> 'refundFeeCents')::bigint, 0),
            (NEW.policy ->> 'refundWithinSeconds')::bigint);
    RETURN NULL;
END
$$;

CREATE TRIGGER pool_begins_with_refund_terms
    AFTER INSERT ON pool
    FOR EACH ROW WHEN (NEW.policy ->> 'refundFeeCents' <> '0'
                       OR NEW.policy ->> 'refundWithinSeconds' IS NOT NULL)
    EXECUTE FUNCTION pool_keeps_its_refund_terms();

CREATE TRIGGER pool_keeps_its_refund_terms
    AFTER UPDATE OF policy ON pool
    FOR EACH ROW WHEN (
        coalesce(OLD.policy ->> 'refundFeeCents', '0')
            <> coalesce(NEW.policy ->> 'refundFeeCents', '0')
        OR OLD.policy ->> 'refundWithinSeconds'
           IS DISTINCT FROM NEW.policy ->> 'refundWithinSeconds')
    EXECUTE FUNCTION pool_keeps_its_refund_terms();
