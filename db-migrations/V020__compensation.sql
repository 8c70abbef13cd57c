-- A sale that failed its verification is reversed with a nonce of its own, by the route
-- compensate_sale or by the policy of its pool. A checkout may carry a nonce and a logical key: its
-- sale consumes both.
--
-- Locks: ACCESS EXCLUSIVE on checkout and request_result for an instant. The new checks read both
-- tables once.

ALTER TABLE checkout
    ADD COLUMN logical_key text,  -- null: the key of the hold
    ADD COLUMN nonce_hash  bytea, -- of the nonce that the sale consumes
    ADD CONSTRAINT checkout_nonce_is_sha256 CHECK (length(nonce_hash) = 32);

ALTER TABLE request_result
    DROP CONSTRAINT request_result_route_known,
    ADD CONSTRAINT request_result_route_known
        CHECK (route IN ('create_pool', 'change_pool', 'create_key', 'revoke_key',
                         'create_authorization', 'create_checkout', 'resume_checkout',
                         'void_commitment', 'compensate_sale', 'create_webhook', 'delete_webhook',
                         'replay_webhook', 'shred_subject', 'append_stream', 'return_reservation',
                         'admit_tickets', 'revoke_pass', 'close_auction'));
