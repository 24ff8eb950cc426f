-- What a program asked a person to publish, and what became of it. Rows are kept for a day after they end.
CREATE TABLE publish_approvals (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  quiz_id uuid NOT NULL,
  version_id uuid NOT NULL,
  -- the version that was live; null: none
  replaces_version_id uuid,
  -- the key's admin, or the person of a personal token
  requested_by text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- null: nobody has decided yet
  outcome text CHECK (outcome IN ('published', 'declined')),
  PRIMARY KEY (store_id, id)
);
CREATE INDEX publish_approvals_by_version ON publish_approvals (store_id, version_id, expires_at);
