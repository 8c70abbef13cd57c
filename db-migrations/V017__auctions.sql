-- Auctions: the terms of each pool of the kind AUCTION, and the result of its close. A bid is a hold
-- with an amount. It has no items until it wins: the close sells the item "lot" to it.
--
-- A result is written once. Whatever two closers believe, the row is final, and the lot has at most
-- one live commitment (commitment_one_live_per_item).
--
-- Locks: ACCESS EXCLUSIVE on hold, checkout and request_result for an instant. The new check of
-- request_result reads this small table, and the new index of checkout all checkouts, while no new one
-- starts; the new column of hold has no default, so its rows are neither read nor written.

CREATE TABLE auction (
    pool           text        NOT NULL,
    closes_at      timestamptz NOT NULL,
    reserve_cents  bigint      NOT NULL,
    closing_since  timestamptz,          -- the operator has asked for the close
    closed_at      timestamptz,          -- when bids were no longer taken, by Redis' clock
    last_sequence  bigint,               -- no bid with a higher fence takes part
    bids           bigint,               -- that were live at the close
    winner_hold_id text,                 -- null without a sale
    redis_losses   bigint,               -- epochs that began while bids were taken
    decided_at     timestamptz,
    CONSTRAINT auction_key PRIMARY KEY (pool),
    CONSTRAINT auction_of_pool FOREIGN KEY (pool) REFERENCES pool (pool),
    CONSTRAINT auction_reserve_fits CHECK (reserve_cents BETWEEN 0 AND 1000000000000),
    CONSTRAINT auction_closes_in_time CHECK (closed_at <= closes_at),
    CONSTRAINT auction_result_is_whole
        CHECK (num_nulls(closed_at, last_sequence, bids, redis_losses, decided_at) IN (0, 5)),
    CONSTRAINT auction_winner_is_a_bid CHECK (winner_hold_id IS NULL OR bids > 0)
);

-- What the closers of all instances look for.
CREATE INDEX auction_not_closed ON auction (closes_at) WHERE closed_at IS NULL;

CREATE FUNCTION auction_is_final() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'an auction keeps its terms and its result'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'auction_is_final';
END
$$;

CREATE TRIGGER auction_is_final
    BEFORE UPDATE ON auction
    FOR EACH ROW WHEN (
        OLD.closed_at IS NOT NULL
        OR (OLD.pool, OLD.closes_at, OLD.reserve_cents)
           IS DISTINCT FROM (NEW.pool, NEW.closes_at, NEW.reserve_cents)
        OR OLD.closing_since IS NOT NULL
           AND OLD.closing_since IS DISTINCT FROM NEW.closing_since)
    EXECUTE FUNCTION auction_is_final();

CREATE TRIGGER auction_is_for_ever
    BEFORE DELETE OR TRUNCATE ON auction
    FOR EACH STATEMENT EXECUTE FUNCTION auction_is_final();

GRANT SELECT, INSERT ON auction TO holdfast_service;
GRANT UPDATE (closing_since, closed_at, last_sequence, bids, winner_hold_id, redis_losses, decided_at)
    ON auction TO holdfast_service;
GRANT SELECT ON auction TO holdfast_auditor;

-- What a bid offers; null for other holds.
ALTER TABLE hold ADD COLUMN amount_cents bigint;
ALTER TABLE hold ADD CONSTRAINT hold_amount_positive CHECK (amount_cents > 0) NOT VALID;

-- As before, and with two additions: the amount is fixed, and a bid that wins gets the lot.
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
        OR OLD.metadata <> NEW.metadata OR OLD.fence <> NEW.fence
        OR OLD.salt <> NEW.salt OR OLD.token <> NEW.token OR OLD.placed_at <> NEW.placed_at
        OR OLD.expires_at <> NEW.expires_at OR OLD.lease_ms <> NEW.lease_ms)
    EXECUTE FUNCTION hold_origin_is_fixed();

-- A hold has one checkout. The winner of an auction may pay by another one after a checkout that was
-- undone: the sale stays, whatever happens to its payment.
ALTER TABLE checkout DROP CONSTRAINT checkout_hold_once;

CREATE UNIQUE INDEX checkout_hold_once ON checkout (hold_id, pool)
    WHERE saga <> 'auction' OR phase <> 'COMPENSATED';

-- The word of the route that closes an auction.
ALTER TABLE request_result
    DROP CONSTRAINT request_result_route_known,
    ADD CONSTRAINT request_result_route_known
        CHECK (route IN ('create_pool', 'change_pool', 'create_key', 'revoke_key',
                         'create_authorization', 'create_checkout', 'resume_checkout',
                         'void_commitment', 'create_webhook', 'delete_webhook', 'replay_webhook',
                         'shred_subject', 'append_stream', 'return_reservation', 'admit_tickets',
                         'revoke_pass', 'close_auction'));
