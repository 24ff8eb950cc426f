-- Files that were asked for, and what became of them.

CREATE TABLE exports (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  dataset text NOT NULL CHECK (dataset IN ('profiles', 'responses', 'quiz_analytics')),
  format text NOT NULL CHECK (format IN ('csv', 'json')),
  status text NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed', 'expired')),
  source text NOT NULL CHECK (source IN ('api', 'dashboard')),
  -- as they are answered: {from, to, quiz_id, search, tz}
  filters jsonb NOT NULL,
  requested_at timestamptz NOT NULL,
  started_at timestamptz,
  completed_at timestamptz,
  expires_at timestamptz NOT NULL,
  row_count bigint,
  bytes bigint,
  -- SHA-256 of the file
  digest bytea,
  error text,
  -- how often a worker has begun it
  claims integer NOT NULL DEFAULT 0,
  -- the worker that builds it
  lease_id uuid,
  lease_until timestamptz,
  -- when it has to be looked at: to be built, given up by its worker, or expired; null: never again
  due_at timestamptz,
  PRIMARY KEY (store_id, id)
);
CREATE INDEX exports_newest ON exports (store_id, requested_at DESC, id DESC);
CREATE UNIQUE INDEX exports_being_built ON exports (store_id, dataset) WHERE status IN ('pending', 'running');
-- due work
CREATE INDEX exports_due ON exports (due_at, store_id, id) WHERE due_at IS NOT NULL;
