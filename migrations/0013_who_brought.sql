-- Who brought a contact, and which people turned out to be one.

-- the visitor whose session brought it when nobody held it; null: brought before this was kept
ALTER TABLE identities ADD COLUMN brought_by uuid;
-- the merge by which it came to its person; null: it was brought to that person
ALTER TABLE identities ADD COLUMN merge_id uuid;

-- Each phone that a confirmed meeting of two people moved, with the person that it left, so that it can be undone. It
-- holds no contact: those that came by a merge name it, and go with their own row.
CREATE TABLE person_merges (
  store_id uuid NOT NULL,
  id uuid NOT NULL,
  from_id uuid NOT NULL,
  into_id uuid NOT NULL,
  confirmed_by text NOT NULL CHECK (confirmed_by IN ('visitor', 'order')),
  merged_at timestamptz NOT NULL,
  -- when the person was made whom this left without a contact, and who is gone; null: that one stayed
  gone_created_at timestamptz,
  undone_at timestamptz,
  PRIMARY KEY (store_id, id)
);
CREATE INDEX person_merges_by_from ON person_merges (store_id, from_id);
CREATE INDEX person_merges_by_into ON person_merges (store_id, into_id);
