-- Where a store's events are sent, and what became of each sending.

CREATE TABLE webhook_endpoints (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  url text NOT NULL,
  topics text[] NOT NULL,
  include_pii boolean NOT NULL,
  -- null: of every quiz
  quiz_ids uuid[],
  description text,
  status text NOT NULL CHECK (status IN ('enabled', 'disabled')),
  disabled_reason text CHECK (disabled_reason IN ('failing', 'gone', 'manual')),
  disabled_at timestamptz,
  failing_since timestamptz,
  -- encrypted
  secret bytea NOT NULL,
  previous_secret bytea,
  previous_secret_expires_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- no later than the first of its deliveries that wait; null: none waits
  next_due_at timestamptz,
  -- set by a receiver's Retry-After
  paused_until timestamptz,
  -- the worker that alone sends for it
  lease_id uuid,
  lease_until timestamptz,
  PRIMARY KEY (store_id, id)
);
CREATE UNIQUE INDEX webhook_endpoints_by_url ON webhook_endpoints (store_id, url);
CREATE INDEX webhook_endpoints_newest ON webhook_endpoints (store_id, created_at DESC, id DESC);
-- due work
CREATE INDEX webhook_endpoints_due ON webhook_endpoints (next_due_at, store_id, id) WHERE next_due_at IS NOT NULL;

-- Without a foreign key: an endpoint is deleted at once, however many deliveries it had; they go by and by, and nothing
-- finds them meanwhile.
CREATE TABLE webhook_deliveries (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  event_id uuid NOT NULL,
  topic text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'delivering', 'retrying', 'delivered', 'dead')),
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  -- stays at the last attempt's time when nothing is due
  next_attempt_at timestamptz NOT NULL,
  delivered_at timestamptz,
  last_status_code integer,
  last_response text,
  last_error text,
  -- whom an erasure has to look for
  session_id uuid,
  profile_id uuid,
  -- the envelope as it is signed and sent, byte for byte
  payload text NOT NULL,
  PRIMARY KEY (store_id, id)
);
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (store_id, endpoint_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (store_id, endpoint_id, next_attempt_at, id)
  WHERE status IN ('pending', 'delivering', 'retrying');
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (store_id, event_id);
CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (store_id, created_at);
CREATE INDEX webhook_deliveries_by_session ON webhook_deliveries (store_id, session_id) WHERE session_id IS NOT NULL;
CREATE INDEX webhook_deliveries_by_profile ON webhook_deliveries (store_id, profile_id) WHERE profile_id IS NOT NULL;
