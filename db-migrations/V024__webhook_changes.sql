-- Webhooks for some pools only, and secrets that are replaced while receivers still have the old
-- one. The routes change_webhook, ping_webhook and rotate_webhook_secret.
--
-- Locks: ACCESS EXCLUSIVE on webhook and request_result for an instant. The new checks read both
-- tables once.

-- The pools whose events it gets; none: all pools. The old secret signs beside the new one.
ALTER TABLE webhook
    ADD COLUMN pools            text[] NOT NULL DEFAULT '{}',
    ADD COLUMN old_secret       text,
    ADD COLUMN old_secret_until timestamptz,
    ADD CONSTRAINT webhook_old_secret_ends
        CHECK ((old_secret IS NULL) = (old_secret_until IS NULL));

GRANT UPDATE (secret, old_secret, old_secret_until) ON webhook TO holdfast_service;
GRANT SELECT (pools) ON webhook TO holdfast_auditor;

ALTER TABLE request_result
    DROP CONSTRAINT request_result_route_known,
    ADD CONSTRAINT request_result_route_known
        CHECK (route IN ('create_pool', 'change_pool', 'add_items', 'block_items', 'unblock_items',
                         'create_key', 'revoke_key', 'create_authorization', 'create_checkout',
                         'resume_checkout', 'void_commitment', 'compensate_sale', 'create_webhook',
                         'change_webhook', 'ping_webhook', 'rotate_webhook_secret',
                         'delete_webhook', 'replay_webhook', 'shred_subject', 'append_stream',
                         'return_reservation', 'admit_tickets', 'revoke_pass', 'close_auction'));
