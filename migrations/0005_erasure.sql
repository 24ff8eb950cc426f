-- Who was erased, kept for good and without anything personal: also written to a file beside the data, so that a backup
-- that is restored does not bring anybody back.

CREATE TABLE erasures (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  -- store: all of it
  scope text NOT NULL CHECK (scope IN ('people', 'store')),
  profile_ids uuid[] NOT NULL,
  session_ids uuid[] NOT NULL,
  -- global ids of the platform, as a redaction names them
  order_ids text[] NOT NULL,
  -- HMACs of the contacts that were erased
  hashes text[] NOT NULL,
  erased_at timestamptz NOT NULL,
  erased_by text NOT NULL,
  -- a copy that is at it, or past it, has none of this
  revision bigint NOT NULL,
  PRIMARY KEY (store_id, id)
);
