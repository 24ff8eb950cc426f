-- Every columnar copy of a store's facts, wherever it lies: written before its file is made, gone after the file is.
CREATE TABLE facts_copies (
  store_id uuid NOT NULL,
  -- the folder that holds the copy, by an id that lies in it
  node uuid NOT NULL,
  slot integer NOT NULL,
  -- the copy is at least here; null while it is being made
  revision bigint,
  seen_at timestamptz NOT NULL,
  -- set by an erasure: the file itself has to go, since its free blocks still hold what was deleted
  discard boolean NOT NULL DEFAULT false,
  PRIMARY KEY (store_id, node, slot)
);
