-- outside a transaction
-- The products that changed since a write, and those with an inventory item.
DROP INDEX CONCURRENTLY IF EXISTS products_by_write;
CREATE INDEX CONCURRENTLY products_by_write ON products (store_id, written) WHERE written IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS product_variants_by_item;
CREATE INDEX CONCURRENTLY product_variants_by_item ON product_variants (store_id, inventory_item_id)
  WHERE inventory_item_id IS NOT NULL;
