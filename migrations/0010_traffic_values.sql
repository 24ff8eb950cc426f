-- Which texts a store's live sessions may be told apart by: as many of each dimension of traffic as come first.

CREATE TABLE traffic_values (
  store_id uuid NOT NULL,
  -- places in the program's list of bounded dimensions, which only ever grows at its end
  dimension smallint NOT NULL,
  -- 48 bits of a SHA-256 of the text: an address that somebody wrote into a link is not kept a second time
  hash bigint NOT NULL,
  PRIMARY KEY (store_id, dimension, hash)
);
