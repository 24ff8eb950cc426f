-- A contact as it is shown: its notation in E.164 where value has another one, the canonical form; null: value itself.
ALTER TABLE identities ADD COLUMN shown text;
ALTER TABLE captures ADD COLUMN shown text;

-- Two people who hold notations of one contact are merged by an operator.
ALTER TABLE person_merges DROP CONSTRAINT person_merges_confirmed_by_check;
ALTER TABLE person_merges ADD CONSTRAINT person_merges_confirmed_by_check
  CHECK (confirmed_by IN ('visitor', 'order', 'operator')) NOT VALID;
