-- False: the file leaves out contacts, since whoever asked for it may not read them; null: as every file was before.
ALTER TABLE exports ADD COLUMN contacts boolean;
