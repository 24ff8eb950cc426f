-- People who sign in to the dashboard, what they may do in which store, and what they did there. Looked up without a
-- store: replicated to every node of a cluster. The log alone is a store's own.

-- reference
CREATE TABLE users (
  id uuid PRIMARY KEY,
  -- as it is compared: trimmed, in small letters
  email text NOT NULL UNIQUE,
  name text NOT NULL,
  -- sees every store, and makes new ones
  operator boolean NOT NULL DEFAULT false,
  -- salt, cost and hash; null: signs in by links or the identity provider alone
  password text,
  -- encrypted; null: no second factor
  totp_seed bytea,
  -- null: begun, not confirmed by a first code, so that nobody is asked for one
  totp_since timestamptz,
  -- number of the half minute whose code was taken last: each is taken once
  totp_step bigint NOT NULL DEFAULT 0,
  -- hashes of those that are left
  recovery_codes bytea[] NOT NULL DEFAULT '{}',
  -- raised by every change of what the person may do or proves who they are; sessions that know an older number get a new token
  rights integer NOT NULL DEFAULT 0,
  -- when somebody showed that letters to the address reach them
  email_proven_at timestamptz,
  created_at timestamptz NOT NULL,
  signed_in_at timestamptz,
  disabled_at timestamptz
);

-- Who a person is at the identity provider.
-- reference
CREATE TABLE user_identities (
  issuer text NOT NULL,
  subject text NOT NULL,
  user_id uuid NOT NULL REFERENCES users (id),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX user_identities_by_user ON user_identities (user_id);

-- reference
CREATE TABLE user_sessions (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id),
  -- of the token in the cookie
  token_hash bytea NOT NULL UNIQUE,
  -- of the token before, taken for a moment from requests that were under way when it was replaced
  previous_hash bytea UNIQUE,
  previous_until timestamptz,
  -- users.rights when the token was made
  rights integer NOT NULL,
  created_at timestamptz NOT NULL,
  used_at timestamptz NOT NULL,
  -- when the person last gave a password, a code or a link
  confirmed_at timestamptz NOT NULL,
  user_agent text NOT NULL,
  address text NOT NULL
);
CREATE INDEX user_sessions_by_user ON user_sessions (user_id);

-- reference
CREATE TABLE memberships (
  user_id uuid NOT NULL REFERENCES users (id),
  store_id uuid NOT NULL REFERENCES stores (id),
  role text NOT NULL CHECK (role IN ('owner', 'editor', 'analyst')),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, store_id)
);
CREATE INDEX memberships_by_store ON memberships (store_id, created_at, user_id);

-- One-time links: those that sign a person in, and invitations.
-- reference
CREATE TABLE user_links (
  id uuid PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE,
  kind text NOT NULL CHECK (kind IN ('sign_in', 'invitation')),
  email text NOT NULL,
  -- of an invitation: to what
  store_id uuid REFERENCES stores (id),
  role text CHECK (role IN ('owner', 'editor', 'analyst')),
  operator boolean NOT NULL DEFAULT false,
  -- whoever made it; null: the command line
  made_by uuid REFERENCES users (id),
  -- went to the address alone: whoever has it reads its letters
  mailed boolean NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  revoked_at timestamptz
);
CREATE INDEX user_links_by_store ON user_links (store_id, created_at DESC, id DESC) WHERE store_id IS NOT NULL;
CREATE INDEX user_links_by_email ON user_links (email);

CREATE TABLE audit_log (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  at timestamptz NOT NULL,
  actor_kind text NOT NULL CHECK (actor_kind IN ('person', 'key', 'command_line', 'system')),
  -- of the user or the key
  actor_id uuid,
  actor text NOT NULL,
  role text,
  -- an operator who is no member
  support boolean NOT NULL DEFAULT false,
  address text,
  action text NOT NULL,
  target text,
  details jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (store_id, id)
);
CREATE INDEX audit_log_newest ON audit_log (store_id, at DESC, id DESC);
