-- What the versions before it had beside pages: jump rules, dimensions, formulas, and what each key stood for. NULL: saved
-- by a program that did not know it, and worked out from the versions before.
ALTER TABLE quiz_versions ADD COLUMN earlier_keys jsonb;
