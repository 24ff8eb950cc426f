-- outside a transaction
-- The catalog by title, for those who choose products; titles of any length fit.
DROP INDEX CONCURRENTLY IF EXISTS products_by_title;
CREATE INDEX CONCURRENTLY products_by_title ON products (store_id, (left(title, 255)), product_id) WHERE deleted_at IS NULL;
