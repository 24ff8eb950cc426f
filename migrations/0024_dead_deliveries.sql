-- outside a transaction
DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_dead;
-- what was given up is what people look for, and sent again, among very many that arrived
CREATE INDEX CONCURRENTLY webhook_deliveries_dead ON webhook_deliveries (store_id, endpoint_id, created_at DESC, id DESC)
  WHERE status = 'dead';
