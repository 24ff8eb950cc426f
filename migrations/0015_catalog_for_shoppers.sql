-- What shoppers are told of the products that a quiz shows them.

-- whether it can be bought; null: no message said, or a program took it that did not know the column
ALTER TABLE product_variants ADD COLUMN available boolean;

-- How often a store's catalog was written, by which what was made from it is known to be old.
CREATE TABLE catalog_states (
  store_id uuid NOT NULL,
  writes bigint NOT NULL,
  PRIMARY KEY (store_id)
);
