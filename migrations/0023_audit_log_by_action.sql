-- outside a transaction
DROP INDEX CONCURRENTLY IF EXISTS audit_log_by_action;
-- entries of one action, which may be rare among very many of others
CREATE INDEX CONCURRENTLY audit_log_by_action ON audit_log (store_id, action, at DESC, id DESC);
