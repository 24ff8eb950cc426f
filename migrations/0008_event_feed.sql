-- Events are fed in the order in which their transactions commit: each has a place that no later one comes before.

CREATE TABLE event_feeds (
  store_id uuid PRIMARY KEY,
  -- the newest event's; whoever gives places holds this row until its transaction ends
  last_position bigint NOT NULL
);

-- Microseconds since 1970 when the event was written, more than those of all the store's before it; null: written before
-- there were any, in the order of created_at; 0: written by a program that gives none, place to come.
ALTER TABLE outbox ADD COLUMN feed_position bigint;
ALTER TABLE outbox ALTER COLUMN feed_position SET DEFAULT 0;
