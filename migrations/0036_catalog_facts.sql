-- What rules pick products by. null: the newest message did not say, or a program took it that did not know the column.

ALTER TABLE products ADD COLUMN tags text[];
ALTER TABLE products ADD COLUMN vendor text;
ALTER TABLE products ADD COLUMN product_type text;
-- [{name, values}]
ALTER TABLE products ADD COLUMN options jsonb;
-- the number of the catalog's write that changed the product last
ALTER TABLE products ADD COLUMN written bigint;

ALTER TABLE product_variants ADD COLUMN compare_at_price numeric;
-- [{name, value}]
ALTER TABLE product_variants ADD COLUMN options jsonb;

-- how many of the writes gave their number to the products that they changed; others have readers begin anew
ALTER TABLE catalog_states ADD COLUMN numbered bigint NOT NULL DEFAULT 0;

-- The shop's collections, as files bring them.
CREATE TABLE collections (
  store_id uuid NOT NULL,
  -- the platform's global id
  collection_id text NOT NULL,
  handle text,
  title text NOT NULL,
  PRIMARY KEY (store_id, collection_id)
);
CREATE TABLE collection_products (
  store_id uuid NOT NULL,
  collection_id text NOT NULL,
  -- also of a product that the catalog does not have yet
  product_id text NOT NULL,
  PRIMARY KEY (store_id, collection_id, product_id)
);
CREATE INDEX collection_products_by_product ON collection_products (store_id, product_id);
