-- outside a transaction
-- outbox_newest stays for events without a place, until they are past their age.
DROP INDEX CONCURRENTLY IF EXISTS outbox_fed;
CREATE INDEX CONCURRENTLY outbox_fed ON outbox (store_id, feed_position DESC);
DROP INDEX CONCURRENTLY IF EXISTS outbox_fed_of_topic;
CREATE INDEX CONCURRENTLY outbox_fed_of_topic ON outbox (store_id, topic, feed_position DESC);
DROP INDEX CONCURRENTLY IF EXISTS outbox_unfed;
-- due work
CREATE INDEX CONCURRENTLY outbox_unfed ON outbox (store_id) WHERE feed_position = 0;
DROP INDEX CONCURRENTLY IF EXISTS outbox_newest_of_topic;
