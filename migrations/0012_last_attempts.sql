-- When the last attempt that was made was due; null: none was, or a program made it that does not say so.
ALTER TABLE webhook_deliveries ADD COLUMN last_due_at timestamptz;
