-- When a person with very many sessions is counted again; null: nothing is put off.
ALTER TABLE profiles ADD COLUMN due_at timestamptz;
