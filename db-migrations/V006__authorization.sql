-- Nonces are asked for under a token, as keys and pools are.
--
-- Locks: request_result, exclusively, for as long as it takes to read it through once.

ALTER TABLE request_result
    DROP CONSTRAINT request_result_route_known,
    ADD CONSTRAINT request_result_route_known
        CHECK (route IN ('create_pool', 'create_key', 'revoke_key', 'create_authorization'));
