/**
 * Creates the catalog table in which Citus lists distributed tables, in a database of an ordinary
 * server. The adapter then sends the statements that it would send to Citus, and PostgreSQL runs
 * them on ordinary tables.
 */
import type { Sql } from './query-tree.js'

/** Creates the catalog table. Requires a superuser. */
export const makeCatalog = (sql: Sql): Promise<unknown> =>
  sql(`SET allow_system_table_mods = on;
    CREATE TABLE pg_catalog.pg_dist_partition (
      logicalrelid regclass PRIMARY KEY, partmethod "char" NOT NULL, partkey text, colocationid int NOT NULL DEFAULT 1, repmodel "char" NOT NULL);
    GRANT SELECT ON pg_catalog.pg_dist_partition TO PUBLIC;
    RESET allow_system_table_mods`)

/**
 * Creates a function with the name of the Citus function that distributes tables. The created
 * function only adds the catalog entry. Requires the catalog table.
 */
export const makeFunction = (sql: Sql): Promise<unknown> =>
  sql(`CREATE FUNCTION create_distributed_table(t text, c text, colocate_with text DEFAULT 'default') RETURNS void LANGUAGE sql AS $$
    INSERT INTO pg_catalog.pg_dist_partition
    SELECT t::regclass, 'h', '{VAR :varno 1 :varattno ' || attnum || ' :vartype ' || atttypid || '}', 1, 's'
    FROM pg_attribute WHERE attrelid = t::regclass AND attname = c $$`)

/** Registers a reference table, a table that is stored completely on every server. */
export const makeReference = (sql: Sql, table: string): Promise<unknown> =>
  sql(`INSERT INTO pg_catalog.pg_dist_partition VALUES ('${table}', 'n', NULL, 1, 't')`)
