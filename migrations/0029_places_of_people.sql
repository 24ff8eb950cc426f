-- Where people were in the list before: somebody who pages through it meets those who are seen again meanwhile where
-- they were on the first page.

-- The store's revision before the one that changed last_seen_at last; null: before this was recorded.
ALTER TABLE profiles ADD COLUMN placed_after bigint;

-- An earlier last_seen_at of a person: that of the revisions after placed_after up to until_revision.
CREATE TABLE earlier_places (
  store_id uuid NOT NULL,
  until_revision bigint NOT NULL,
  profile_id uuid NOT NULL,
  -- null: since before this was recorded
  placed_after bigint,
  last_seen_at timestamptz NOT NULL,
  PRIMARY KEY (store_id, until_revision, profile_id)
);
