import type pg from "pg";

/**
 * A substitute for Citus in a test's database: the two functions that distribute tables, and the catalog of distributed
 * tables. It refuses what Citus refuses, with the same messages, and moves no rows.
 */
const citusStandIn = `
  CREATE SCHEMA citus_stand_in;
  SET search_path = citus_stand_in, public;
  CREATE TABLE pg_dist_partition (
    logicalrelid regclass PRIMARY KEY, partmethod "char" NOT NULL, partkey text, colocationid integer NOT NULL,
    repmodel "char" NOT NULL, placed_as integer GENERATED ALWAYS AS IDENTITY
  );

  CREATE TABLE pg_dist_node (groupid integer, nodename text, nodeport integer, noderole text, shouldhaveshards boolean);
  INSERT INTO pg_dist_node VALUES (0, 'coordinator', 5432, 'primary', true);
  CREATE TABLE pg_dist_shard (logicalrelid regclass, shardid bigint GENERATED ALWAYS AS IDENTITY);
  CREATE TABLE pg_dist_placement (shardid bigint, groupid integer);

  CREATE FUNCTION column_to_column_name(t regclass, key text) RETURNS text LANGUAGE sql AS 'SELECT key';

  CREATE FUNCTION assert_placeable(t regclass, dist text, colocation integer) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE k record; other record;
  BEGIN
    DELETE FROM pg_dist_partition WHERE logicalrelid = t AND partmethod = 'n' AND repmodel = 's';
    IF EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = t) THEN
      RAISE 'table "%" is already distributed', t;
    END IF;
    IF EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = t AND NOT tgisinternal) THEN
      RAISE 'cannot distribute relation "%" because it has triggers', t;
    END IF;
    IF dist IS NOT NULL AND EXISTS (
      SELECT 1 FROM pg_index i WHERE i.indrelid = t AND i.indisunique AND NOT EXISTS (
        SELECT 1 FROM pg_attribute a WHERE a.attrelid = t AND a.attname = dist AND a.attnum = ANY (i.indkey))) THEN
      RAISE 'cannot create constraint on "%"', t
        USING DETAIL = 'Distributed relations cannot have UNIQUE, EXCLUDE, or PRIMARY KEY constraints that do not include the partition column';
    END IF;
    FOR k IN SELECT conrelid, confrelid, conkey, confkey FROM pg_constraint WHERE contype = 'f' AND conrelid = t LOOP
      CONTINUE WHEN k.confrelid = t;
      SELECT * INTO other FROM pg_dist_partition WHERE logicalrelid = k.confrelid;
      IF NOT FOUND THEN
        RAISE 'referenced table "%" must be a distributed table or a reference table', k.confrelid::regclass;
      END IF;
      IF dist IS NULL AND other.partmethod <> 'n' THEN
        RAISE 'foreign keys from reference tables and local tables to distributed tables are not supported';
      END IF;
      IF other.partmethod <> 'n' AND other.colocationid IS DISTINCT FROM colocation THEN
        RAISE 'relations are not colocated or not referencing a reference table';
      END IF;
    END LOOP;
  END $$;

  CREATE FUNCTION create_reference_table(table_name regclass) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM assert_placeable(table_name, NULL, NULL);
    INSERT INTO pg_dist_partition VALUES (table_name, 'n', NULL, 1, 't');
    PERFORM citus_add_local_table_to_metadata(tied) FROM (
      SELECT conrelid AS tied FROM pg_constraint WHERE contype = 'f' AND confrelid = table_name) k;
  END $$;

  CREATE FUNCTION undistribute_table(table_name regclass) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT 1 FROM pg_constraint WHERE contype = 'f' AND conrelid <> confrelid AND conrelid = table_name) THEN
      RAISE 'cannot complete operation because table % has a foreign key', table_name;
    END IF;
    IF EXISTS (SELECT 1 FROM pg_constraint WHERE contype = 'f' AND conrelid <> confrelid AND confrelid = table_name) THEN
      RAISE 'cannot complete operation because table % is referenced by a foreign key', table_name;
    END IF;
    DELETE FROM pg_dist_partition WHERE logicalrelid = table_name;
  END $$;

  CREATE FUNCTION citus_add_local_table_to_metadata(table_name regclass, cascade_via_foreign_keys boolean DEFAULT false)
    RETURNS void LANGUAGE sql AS $$
      WITH RECURSIVE tied AS (
        SELECT table_name::oid AS t UNION SELECT CASE t WHEN conrelid THEN confrelid ELSE conrelid END
        FROM tied JOIN pg_constraint ON contype = 'f' AND t IN (conrelid, confrelid))
      INSERT INTO pg_dist_partition SELECT t, 'n', NULL, 0, 's' FROM tied ON CONFLICT DO NOTHING
    $$;

  CREATE FUNCTION create_distributed_table(table_name regclass, distribution_column text,
    distribution_type text DEFAULT 'hash', colocate_with text DEFAULT 'default') RETURNS void LANGUAGE plpgsql AS $$
  DECLARE colocation integer;
  BEGIN
    IF colocate_with = 'none' THEN
      SELECT max(colocationid) + 1 INTO colocation FROM (SELECT 1 AS colocationid UNION SELECT p.colocationid FROM pg_dist_partition p) c;
    ELSE
      SELECT colocationid INTO STRICT colocation FROM pg_dist_partition WHERE logicalrelid = colocate_with::regclass;
    END IF;
    PERFORM assert_placeable(table_name, distribution_column, colocation);
    INSERT INTO pg_dist_partition VALUES (table_name, 'h', distribution_column, colocation, 's');
    -- in turns over the nodes, workers before the coordinator
    WITH made AS (INSERT INTO pg_dist_shard SELECT table_name FROM generate_series(1, 32) RETURNING shardid),
      nodes AS (SELECT groupid, row_number() OVER () - 1 AS place, count(*) OVER () AS number FROM pg_dist_node
        WHERE groupid > 0 OR NOT EXISTS (SELECT 1 FROM pg_dist_node WHERE groupid > 0))
    INSERT INTO pg_dist_placement SELECT m.shardid, n.groupid FROM made m JOIN nodes n ON n.place = m.shardid % n.number;
  END $$;
  SET search_path = public, citus_stand_in`;

/** Does the same as `citus_add_node` on a cluster. */
export async function addNode(client: pg.ClientBase, host: string, takesShards = true): Promise<void> {
  await client.query(
    `INSERT INTO citus_stand_in.pg_dist_node SELECT max(groupid) + 1, $1, 5432, 'primary', $2 FROM citus_stand_in.pg_dist_node`,
    [host, takesShards],
  );
}

/** Installs the substitute where this connection and every later one to the database find it. */
export async function installCitusStandIn(client: pg.ClientBase, database: string): Promise<void> {
  await client.query(citusStandIn);
  await client.query(`ALTER DATABASE ${database} SET search_path = public, citus_stand_in`);
}

/** The tables distributed so far, in order; `column` is null for a table that every node has. */
export async function placedTables(
  client: pg.ClientBase,
): Promise<{ table: string; column: string | null; colocation: number }[]> {
  const { rows } = await client.query(`
    SELECT logicalrelid::text AS table, partkey AS column, colocationid AS colocation
    FROM citus_stand_in.pg_dist_partition WHERE partmethod <> 'n' OR repmodel = 't' ORDER BY placed_as`);
  return rows;
}
