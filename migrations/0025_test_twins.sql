-- Test twins: stores for trials, each beside a store, with data of its own and a calendar that is moved forward.

-- null: not a twin; else the store whose twin it is, or was before it was emptied
ALTER TABLE stores ADD COLUMN test_of uuid;
-- null: the store has no twin
ALTER TABLE stores ADD COLUMN test_store_id uuid;
-- null: the store's calendar was never moved
ALTER TABLE stores ADD COLUMN clock_ahead_ms bigint;
ALTER TABLE stores ADD COLUMN clock_moved_at timestamptz;
-- null: its rows are there as long as the store is
ALTER TABLE stores ADD COLUMN emptied_at timestamptz;

-- null: a key to the store itself
ALTER TABLE api_keys ADD COLUMN is_test boolean;
