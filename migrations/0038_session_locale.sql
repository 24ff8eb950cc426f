-- The language and the time zone of a shopper's browser; null: unknown, as in every session from before.
ALTER TABLE sessions ADD COLUMN locale text;
ALTER TABLE sessions ADD COLUMN time_zone text;
