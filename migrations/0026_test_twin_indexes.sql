-- outside a transaction
DROP INDEX CONCURRENTLY IF EXISTS stores_moved;
CREATE INDEX CONCURRENTLY stores_moved ON stores (clock_moved_at DESC, id) WHERE clock_ahead_ms > 0;
DROP INDEX CONCURRENTLY IF EXISTS stores_emptied;
CREATE INDEX CONCURRENTLY stores_emptied ON stores (emptied_at) WHERE emptied_at IS NOT NULL;
