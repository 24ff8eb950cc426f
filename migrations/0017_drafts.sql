-- Drafts that people edit: which change is the last, and whose.

-- counted up with each change of the draft, or of the quiz's name
ALTER TABLE quizzes ADD COLUMN draft_revision integer NOT NULL DEFAULT 1;
-- null: not changed since there is the column; then updated_at is as near as it gets
ALTER TABLE quizzes ADD COLUMN draft_saved_at timestamptz;
ALTER TABLE quizzes ADD COLUMN draft_saved_by text;
-- who runs the assistant that has the lease; null: a program gave it that did not know the column
ALTER TABLE quizzes ADD COLUMN ai_run_holder text;
