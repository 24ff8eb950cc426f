-- What shoppers did. Events are kept as accepted; a session's row is what its events reduce to.

CREATE TABLE sessions (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  -- small integers join faster than UUIDs in the columnar copy
  number bigint NOT NULL,
  visitor_id uuid NOT NULL,
  quiz_id uuid NOT NULL,
  version_id uuid NOT NULL,
  profile_id uuid,
  channel text NOT NULL,
  placement text,
  page_url text,
  referrer_host text,
  utm_source text,
  utm_medium text,
  utm_campaign text,
  utm_content text,
  utm_term text,
  device_class text NOT NULL,
  device jsonb NOT NULL,
  country text,
  region text,
  preview boolean NOT NULL,
  -- whether its events may cause webhooks; history brought in from elsewhere does not
  emits boolean NOT NULL,
  is_returning boolean NOT NULL,
  -- the earliest accepted event may lie at most an hour before this
  first_received_at timestamptz NOT NULL,
  opened_at timestamptz NOT NULL,
  started_at timestamptz,
  completed_at timestamptz,
  ended_at timestamptz,
  last_event_at timestamptz NOT NULL,
  status text NOT NULL CHECK (status IN ('in_progress', 'completed', 'left')),
  state jsonb NOT NULL,
  -- the state as the columnar copy takes it over: short, so that copying it opens no JSON
  facts text NOT NULL,
  -- what was typed into its text questions, as the copy takes it over
  texts text,
  -- topics already put into the outbox, each at most once a session
  emitted text[] NOT NULL DEFAULT '{}',
  due_at timestamptz,
  PRIMARY KEY (store_id, id)
-- room on the page for a row's next version: each batch of events rewrites it, mostly without touching an index
) WITH (fillfactor = 75);
CREATE INDEX sessions_by_visitor ON sessions (store_id, visitor_id, opened_at, id);
CREATE INDEX sessions_by_profile ON sessions (store_id, profile_id, opened_at) WHERE profile_id IS NOT NULL;
CREATE INDEX sessions_by_start ON sessions (store_id, started_at) WHERE started_at IS NOT NULL AND NOT preview;
-- due work
CREATE INDEX sessions_due ON sessions (due_at, store_id, id) WHERE due_at IS NOT NULL;

CREATE TABLE session_events (
  store_id uuid NOT NULL,
  session_id uuid NOT NULL,
  id uuid NOT NULL,
  seq integer NOT NULL,
  -- corrected on arrival, never changed afterwards
  at timestamptz NOT NULL,
  received_at timestamptz NOT NULL,
  type text NOT NULL,
  data jsonb NOT NULL,
  PRIMARY KEY (store_id, session_id, id)
);

-- Contact details as sessions brought them, one row a field that holds a usable one.
CREATE TABLE captures (
  store_id uuid NOT NULL,
  session_id uuid NOT NULL,
  component_key text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('email', 'phone')),
  value text NOT NULL,
  consent boolean,
  page_key text NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (store_id, session_id, component_key)
);
CREATE INDEX captures_by_value ON captures (store_id, kind, value);

CREATE TABLE profiles (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  number bigint NOT NULL,
  created_at timestamptz NOT NULL,
  first_seen_at timestamptz,
  last_seen_at timestamptz NOT NULL,
  sessions_count integer NOT NULL DEFAULT 0,
  completed_count integer NOT NULL DEFAULT 0,
  visits_count integer NOT NULL DEFAULT 0,
  quiz_ids uuid[] NOT NULL DEFAULT '{}',
  orders_count integer NOT NULL DEFAULT 0,
  spent numeric NOT NULL DEFAULT 0,
  last_order_at timestamptz,
  removed_at timestamptz,
  PRIMARY KEY (store_id, id)
);
CREATE INDEX profiles_last_seen ON profiles (store_id, last_seen_at DESC, id DESC) WHERE removed_at IS NULL;

CREATE TABLE identities (
  store_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('email', 'phone')),
  value text NOT NULL,
  profile_id uuid NOT NULL,
  consent boolean,
  first_seen_at timestamptz,
  last_seen_at timestamptz,
  PRIMARY KEY (store_id, kind, value),
  FOREIGN KEY (store_id, profile_id) REFERENCES profiles (store_id, id)
);
CREATE INDEX identities_by_profile ON identities (store_id, profile_id);

CREATE TABLE products (
  store_id uuid NOT NULL,
  product_id text NOT NULL,
  handle text,
  title text NOT NULL,
  image text,
  had_variants boolean NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (store_id, product_id)
);

CREATE TABLE product_variants (
  store_id uuid NOT NULL,
  product_id text NOT NULL,
  variant_id text NOT NULL,
  position integer NOT NULL,
  title text,
  price numeric,
  PRIMARY KEY (store_id, product_id, variant_id),
  FOREIGN KEY (store_id, product_id) REFERENCES products (store_id, product_id)
);
