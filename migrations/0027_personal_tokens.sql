-- Secrets that people make for programs that act for them in one store, with their own rights there.
-- reference
CREATE TABLE personal_tokens (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id),
  store_id uuid NOT NULL REFERENCES stores (id),
  token_hash bytea NOT NULL UNIQUE,
  name text NOT NULL,
  -- its first and last characters, to know it by
  head text NOT NULL,
  last_four text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- to the minute; null: never
  last_used_at timestamptz
);
CREATE INDEX personal_tokens_by_user ON personal_tokens (user_id, created_at DESC, id DESC);
CREATE INDEX personal_tokens_by_store ON personal_tokens (store_id);
