-- What the shop sold, as the commerce platform told it, and which session and person each order comes from.

CREATE TABLE orders (
  store_id uuid NOT NULL,
  -- made from gid: an order has the same one whichever way it comes in
  id uuid NOT NULL,
  -- the platform's global id
  gid text NOT NULL,
  name text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- of two messages of one second the later kind counts: 0 created, 1 updated, 2 cancelled
  stage smallint NOT NULL,
  cancelled_at timestamptz,
  currency text NOT NULL,
  total numeric NOT NULL,
  -- the session it is attributed to, and how it was matched; without a session: how its person was
  session_id uuid,
  matched_tier text CHECK (matched_tier IN ('line_item', 'cart', 'visitor', 'email', 'phone')),
  -- whose it is, and how that is known: matched_tier, or by a contact where the session is nobody's
  profile_id uuid,
  profile_tier text CHECK (profile_tier IN ('line_item', 'cart', 'visitor', 'email', 'phone')),
  PRIMARY KEY (store_id, id)
);
CREATE INDEX orders_by_session ON orders (store_id, session_id) WHERE session_id IS NOT NULL;
CREATE INDEX orders_by_profile ON orders (store_id, profile_id, created_at) WHERE profile_id IS NOT NULL;
CREATE INDEX orders_by_time ON orders (store_id, created_at);

-- What an order can be matched by. A value is the UUID of a session or visitor, an email or a phone as identities have it.
CREATE TABLE order_keys (
  store_id uuid NOT NULL,
  order_id uuid NOT NULL,
  tier text NOT NULL CHECK (tier IN ('line_item', 'cart', 'visitor', 'email', 'phone')),
  value text NOT NULL,
  -- of several in a tier, the order in which a person is looked for
  rank smallint NOT NULL,
  PRIMARY KEY (store_id, order_id, tier, value),
  FOREIGN KEY (store_id, order_id) REFERENCES orders (store_id, id)
);
CREATE INDEX order_keys_by_value ON order_keys (store_id, value);

CREATE TABLE order_lines (
  store_id uuid NOT NULL,
  order_id uuid NOT NULL,
  line_no integer NOT NULL,
  product_id text,
  variant_id text,
  title text NOT NULL,
  quantity integer NOT NULL,
  -- price x quantity - discounts
  amount numeric NOT NULL,
  -- whether the line's own property names a session
  from_quiz boolean NOT NULL,
  -- null while the order has no session
  bucket text CHECK (bucket IN ('added_from_quiz', 'shown_bought_later', 'bought_not_shown')),
  PRIMARY KEY (store_id, order_id, line_no),
  FOREIGN KEY (store_id, order_id) REFERENCES orders (store_id, id)
);

-- Messages of the commerce platform that were taken, so that a repeated one is known.
CREATE TABLE commerce_deliveries (
  store_id uuid NOT NULL,
  webhook_id text NOT NULL,
  received_at timestamptz NOT NULL,
  PRIMARY KEY (store_id, webhook_id)
);
CREATE INDEX commerce_deliveries_by_time ON commerce_deliveries (store_id, received_at);

-- What the platform asks for on behalf of customers and shops. Contact values go when the request is done.
CREATE TABLE commerce_requests (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  topic text NOT NULL CHECK (topic IN ('customers/redact', 'customers/data_request', 'shop/redact')),
  received_at timestamptz NOT NULL,
  -- {emails, phones, order_ids}; null once it was done
  subject jsonb,
  done_at timestamptz,
  PRIMARY KEY (store_id, id)
);
