-- What the platform's product messages say of a product's state, and of stock that is not tracked.

ALTER TABLE products ADD COLUMN triggered_at timestamptz;
-- active, draft, archived, unlisted; null: no message said
ALTER TABLE products ADD COLUMN status text;
ALTER TABLE products ADD COLUMN published_at timestamptz;
-- whether the newest message said that it is not in the online store
ALTER TABLE products ADD COLUMN unpublished boolean NOT NULL DEFAULT false;

ALTER TABLE product_variants ADD COLUMN inventory_item_id text;
-- null: not told, or taken by a program that did not know the column
ALTER TABLE product_variants ADD COLUMN stock numeric;
-- the variant's own
ALTER TABLE product_variants ADD COLUMN updated_at timestamptz;
-- whether only its id is known: messages contain the first 100 variants in full
ALTER TABLE product_variants ADD COLUMN id_only boolean NOT NULL DEFAULT false;

-- Whether the stock of an inventory item is counted.
CREATE TABLE inventory_items (
  store_id uuid NOT NULL,
  inventory_item_id text NOT NULL,
  tracked boolean NOT NULL,
  updated_at timestamptz NOT NULL,
  triggered_at timestamptz,
  PRIMARY KEY (store_id, inventory_item_id)
);
