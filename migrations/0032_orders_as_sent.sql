-- What the platform's order messages say of refunds, edits, bundles and deletions.

-- when the platform sent the newest message; null: it did not say
ALTER TABLE orders ADD COLUMN triggered_at timestamptz;
-- the sum of its order_refunds; null: none
ALTER TABLE orders ADD COLUMN refunded numeric;
-- a subscription's renewal, which no contact ties to a session
ALTER TABLE orders ADD COLUMN renewal boolean NOT NULL DEFAULT false;

-- the platform's own number of the line, by which refunds name it
ALTER TABLE order_lines ADD COLUMN line_id text;
ALTER TABLE order_lines ADD COLUMN refunded numeric;
-- of a component: its bundle's group in the order, with the bundle's product if the message names it, and how many
-- bundles the line stands for: all of them on the first line of the group, none on the others
ALTER TABLE order_lines ADD COLUMN bundle_key text;
ALTER TABLE order_lines ADD COLUMN bundle_product_id text;
ALTER TABLE order_lines ADD COLUMN bundle_units integer;
-- the bundle's product, if the line counts as that
ALTER TABLE order_lines ADD COLUMN counted_as text;

-- Refunds of orders, also of such as are not here yet.
CREATE TABLE order_refunds (
  store_id uuid NOT NULL,
  order_id uuid NOT NULL,
  refund_id text NOT NULL,
  -- a line's part, by its line_id; '': the whole refund
  line_id text NOT NULL,
  -- in the order's currency
  amount numeric NOT NULL,
  PRIMARY KEY (store_id, order_id, refund_id, line_id)
);

-- Orders and products that the platform deleted, by global id: messages from before must not bring them back.
CREATE TABLE commerce_deletions (
  store_id uuid NOT NULL,
  gid text NOT NULL,
  deleted_at timestamptz NOT NULL,
  PRIMARY KEY (store_id, gid)
);
