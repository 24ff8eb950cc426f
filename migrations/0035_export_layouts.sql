-- How a file is laid out; null: as every file was before.
ALTER TABLE exports ADD COLUMN csv_style text;
ALTER TABLE exports ADD COLUMN headers text;
-- The lease of a worker that knows these formats and layouts. A program from before this migration leaves it as it is,
-- so that it cannot begin a file which it would write in another format.
ALTER TABLE exports ADD COLUMN layout_lease_id uuid;
ALTER TABLE exports DROP CONSTRAINT exports_format_check;
ALTER TABLE exports ADD CONSTRAINT exports_format_check
  CHECK (format IN ('csv', 'json', 'ndjson', 'xlsx', 'parquet')) NOT VALID;
ALTER TABLE exports ADD CONSTRAINT exports_layout_check CHECK (
  status <> 'running' OR layout_lease_id IS NOT DISTINCT FROM lease_id
  OR (format IN ('csv', 'json') AND csv_style IS NULL AND headers IS NULL)) NOT VALID;
