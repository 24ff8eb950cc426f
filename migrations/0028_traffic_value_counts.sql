-- How many rows of traffic_values a store has of each dimension: counting them takes longer the more there are.
-- A dimension without a row here is counted once, when its next value comes.
CREATE TABLE traffic_value_counts (
  store_id uuid NOT NULL,
  dimension smallint NOT NULL,
  held integer NOT NULL,
  PRIMARY KEY (store_id, dimension)
);
