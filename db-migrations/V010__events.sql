-- Events: an ordered log per pool for subscribers. The transaction of a change inserts its event
-- into event_fresh. An identity value is drawn before the commit and says nothing about the order
-- of commits, so a sequencer later moves each event into event and gives it the next number of its
-- pool.
--
-- Locks: creates new tables only.

CREATE TABLE event_fresh (
    id          bigint      GENERATED ALWAYS AS IDENTITY,
    pool        text        NOT NULL,
    type        text        NOT NULL,
    subject     text        NOT NULL,
    data        text        NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT event_fresh_key PRIMARY KEY (id)
);

GRANT SELECT, INSERT, DELETE ON event_fresh TO holdfast_service;
GRANT SELECT ON event_fresh TO holdfast_auditor;

-- Events in the order of their pool, without gaps. Personal values in data are encrypted. The data
-- of a sale event is empty: a reader builds it from the hold and its commitments, which never
-- change except for the pseudonym of a shredded requester.
CREATE TABLE event (
    pool        text        NOT NULL,
    seq         bigint      NOT NULL,
    id          bigint      NOT NULL,
    type        text        NOT NULL,
    subject     text        NOT NULL,
    data        text        NOT NULL,
    recorded_at timestamptz NOT NULL,
    CONSTRAINT event_key PRIMARY KEY (pool, seq),
    CONSTRAINT event_seq_positive CHECK (seq > 0)
);

CREATE TRIGGER event_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON event
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();

GRANT SELECT, INSERT ON event TO holdfast_service;
GRANT SELECT ON event TO holdfast_auditor;

-- The last number given in each pool.
CREATE TABLE event_head (
    pool text   NOT NULL,
    seq  bigint NOT NULL,
    CONSTRAINT event_head_key PRIMARY KEY (pool)
);

GRANT SELECT, INSERT ON event_head TO holdfast_service;
GRANT UPDATE (seq) ON event_head TO holdfast_service;
GRANT SELECT ON event_head TO holdfast_auditor;
