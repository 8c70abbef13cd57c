-- Webhooks: the endpoints that receive events, how far each has been delivered, and every delivery
-- attempt. A lane is one webhook and one pool: events of a pool are delivered in order.
--
-- Locks: creates new tables only.

-- The secret signs deliveries.
CREATE TABLE webhook (
    id           bigint      GENERATED ALWAYS AS IDENTITY,
    caller       text        NOT NULL,
    url          text        NOT NULL,
    types        text[]      NOT NULL,
    secret       text        NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    enabled      boolean     NOT NULL DEFAULT true,
    disabled_why text,
    deleted_at   timestamptz,
    CONSTRAINT webhook_key PRIMARY KEY (id),
    CONSTRAINT webhook_disabled_for_a_reason CHECK (enabled = (disabled_why IS NULL)),
    CONSTRAINT webhook_deleted_is_disabled CHECK (deleted_at IS NULL OR NOT enabled)
);

GRANT SELECT, INSERT ON webhook TO holdfast_service;
GRANT UPDATE (enabled, disabled_why, deleted_at) ON webhook TO holdfast_service;

-- Every column but the secret.
GRANT SELECT (id, caller, url, types, created_at, enabled, disabled_why, deleted_at) ON webhook
    TO holdfast_auditor;

-- The last event delivered to a webhook from a pool, how often the next one has failed, and when it
-- is due.
CREATE TABLE webhook_lane (
    webhook_id bigint      NOT NULL,
    pool       text        NOT NULL,
    seq        bigint      NOT NULL,
    failures   integer     NOT NULL DEFAULT 0,
    due_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT webhook_lane_key PRIMARY KEY (webhook_id, pool),
    CONSTRAINT webhook_lane_of FOREIGN KEY (webhook_id) REFERENCES webhook (id)
);

GRANT SELECT, INSERT, DELETE ON webhook_lane TO holdfast_service;
GRANT UPDATE (seq, failures, due_at) ON webhook_lane TO holdfast_service;
GRANT SELECT ON webhook_lane TO holdfast_auditor;

-- Every delivery attempt. A purge deletes rows that are older than the retention of the log.
CREATE TABLE webhook_delivery (
    id         bigint      GENERATED ALWAYS AS IDENTITY,
    webhook_id bigint      NOT NULL,
    pool       text        NOT NULL,
    seq        bigint      NOT NULL,
    event_id   bigint      NOT NULL,
    type       text        NOT NULL,
    attempt    integer     NOT NULL,
    outcome    text        NOT NULL,
    status     integer,
    detail     text        NOT NULL,
    tried_at   timestamptz NOT NULL,
    took_ms    bigint      NOT NULL,
    CONSTRAINT webhook_delivery_key PRIMARY KEY (id),
    CONSTRAINT webhook_delivery_outcome_known CHECK (outcome IN ('DELIVERED', 'FAILED', 'GONE'))
);

CREATE INDEX webhook_delivery_of ON webhook_delivery (webhook_id, id);

GRANT SELECT, INSERT, DELETE ON webhook_delivery TO holdfast_service;
GRANT SELECT ON webhook_delivery TO holdfast_auditor;
