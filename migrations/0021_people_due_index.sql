-- outside a transaction
DROP INDEX CONCURRENTLY IF EXISTS profiles_due;
-- due work
CREATE INDEX CONCURRENTLY profiles_due ON profiles (due_at, store_id, id) WHERE due_at IS NOT NULL;
