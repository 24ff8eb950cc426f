-- Stores, keys and what is looked up without a store. Small, read often: replicated to every node of a cluster.

-- reference
CREATE TABLE stores (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  shop_domain text NOT NULL UNIQUE,
  plan text NOT NULL CHECK (plan IN ('plus', 'enterprise', 'other')),
  currency text NOT NULL,
  timezone text NOT NULL,
  publishable_key uuid NOT NULL UNIQUE,
  commerce_secret bytea NOT NULL,
  limits jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL,
  disconnected_at timestamptz
);

-- reference
CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  store_id uuid NOT NULL REFERENCES stores (id),
  hash bytea NOT NULL UNIQUE,
  name text NOT NULL,
  head text NOT NULL,
  last_four text NOT NULL,
  scopes text[] NOT NULL,
  admin text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz
);

-- reference
CREATE TABLE quiz_directory (
  quiz_id uuid PRIMARY KEY,
  store_id uuid NOT NULL REFERENCES stores (id)
);

-- One row that orders a store's changes: whoever changes facts or people locks it first.
CREATE TABLE store_revisions (
  store_id uuid PRIMARY KEY,
  revision bigint NOT NULL DEFAULT 0,
  sessions_numbered bigint NOT NULL DEFAULT 0,
  profiles_numbered bigint NOT NULL DEFAULT 0
);

CREATE TABLE changes (
  store_id uuid NOT NULL,
  revision bigint NOT NULL,
  token uuid NOT NULL,
  kind text NOT NULL,
  id uuid NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (store_id, revision, kind, id)
);
CREATE INDEX changes_by_time ON changes (store_id, at);

CREATE TABLE quizzes (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  archived boolean NOT NULL DEFAULT false,
  draft jsonb NOT NULL,
  draft_page_count integer NOT NULL,
  published_version_id uuid,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  versions_numbered integer NOT NULL DEFAULT 0,
  ai_run_id uuid,
  ai_run_started_at timestamptz,
  ai_run_expires_at timestamptz,
  PRIMARY KEY (store_id, id)
);
CREATE INDEX quizzes_newest ON quizzes (store_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;

CREATE TABLE quiz_versions (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  quiz_id uuid NOT NULL,
  number integer NOT NULL,
  label text,
  document jsonb NOT NULL,
  -- every page, question and option of the versions before it, each as the newest of them had it
  earlier_outline jsonb NOT NULL DEFAULT '[]',
  page_count integer NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (store_id, id),
  UNIQUE (store_id, quiz_id, number),
  FOREIGN KEY (store_id, quiz_id) REFERENCES quizzes (store_id, id)
);
CREATE INDEX quiz_versions_newest ON quiz_versions (store_id, quiz_id, created_at DESC, id DESC);

-- Who did what to a quiz: written by the transaction that did it.
CREATE TABLE quiz_history (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  quiz_id uuid NOT NULL,
  at timestamptz NOT NULL,
  action text NOT NULL,
  version_id uuid,
  admin text NOT NULL,
  source text NOT NULL,
  key_id uuid,
  PRIMARY KEY (store_id, id)
);
CREATE INDEX quiz_history_by_quiz ON quiz_history (store_id, quiz_id, at);

-- Events that committed with the change that caused them, and wait to be handed to the webhooks.
CREATE TABLE outbox (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  topic text NOT NULL,
  created_at timestamptz NOT NULL,
  -- null once it was handed over
  due_at timestamptz,
  quiz_id uuid,
  session_id uuid,
  profile_id uuid,
  data jsonb NOT NULL,
  PRIMARY KEY (store_id, id)
);
CREATE INDEX outbox_newest ON outbox (store_id, created_at DESC, id DESC);
CREATE INDEX outbox_newest_of_topic ON outbox (store_id, topic, created_at DESC, id DESC);
-- due work
CREATE INDEX outbox_due ON outbox (due_at, store_id, id) WHERE due_at IS NOT NULL;

CREATE TABLE idempotency_keys (
  store_id uuid NOT NULL,
  key text NOT NULL,
  fingerprint bytea NOT NULL,
  answer bytea,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (store_id, key)
);
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (store_id, created_at);

-- The calendar's anchor: calendar time is this, plus the database time that has passed since, times the speed.
-- reference
CREATE TABLE calendar (
  only_row boolean PRIMARY KEY CHECK (only_row),
  anchor_calendar timestamptz NOT NULL,
  anchor_database timestamptz NOT NULL,
  speed double precision NOT NULL,
  latest timestamptz NOT NULL
);
