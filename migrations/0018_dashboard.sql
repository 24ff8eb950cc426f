-- What the dashboard shows beyond what the API needed.

-- to the minute; null: never, or only by programs that do not say so
ALTER TABLE api_keys ADD COLUMN last_used_at timestamptz;

-- null: taken by a program that did not keep it
ALTER TABLE commerce_deliveries ADD COLUMN topic text;

-- attempts since it was queued, as [{at, status_code, error}]; null: none, or made by a program that did not keep them
ALTER TABLE webhook_deliveries ADD COLUMN tries jsonb;

-- Operators who help in a store that is not theirs, each until its end.
-- reference
CREATE TABLE support_visits (
  user_id uuid NOT NULL,
  store_id uuid NOT NULL,
  begun_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, store_id)
);
