/**
 * Where the version of a row comes from, and how it is compared with the expected version (HDR-2,
 * HDR-3).
 */
import { randomUUID } from 'node:crypto'
import type { Database, Wait } from '../connections/client.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import { type Parameters, quote, quoteRelation, relationName, rowAlias } from '../sql/sql.js'
import { unfit } from '../unfit.js'
import type { CatalogColumn, Relation } from './catalog.js'
import type { Layout } from './layout.js'
import { isAlwaysRenewed, isRandom, isRandomAlone, neverRepeats } from './version-triggers.js'

export interface VersionSource {
  /** The SQL of the version, as text, for a row of the table to which records are written. */
  readonly sql: string
  /** The SQL of the version for a row of the relation from which records are read. */
  readonly shownSql: string
  /** The assignment of the next version in a write. `undefined` if writes do not assign it. */
  readonly assignment: VersionAssignment | undefined
  /** Whether the version includes a digest of the row's content. */
  readonly hasDigest: boolean
  /** Converts a stored version to the version that clients see. */
  shown(stored: string | null): string
  /**
   * Returns the SQL condition for rows with this version. `version` has the form that API clients
   * see.
   */
  matches(version: string, parameters: Parameters): string
}

/** The column of the version, and the SQL of the next version. */
interface VersionAssignment {
  readonly column: string
  readonly sql: (parameters: Parameters) => string
  readonly hasDefault: boolean
}

/**
 * Returns the source of versions that the option `version` describes. Throws `ConfigurationError`
 * if the table does not suit the option, for example because the versions could repeat, or because
 * the version column does not exist.
 */
export async function versionSource(
  options: PostgresAdapterOptions,
  tables: { readonly table: Relation; readonly source: Relation },
  layout: Layout,
  database: Database,
  wait: Wait,
): Promise<VersionSource> {
  const { version = 'xmin' } = options
  if (version === 'xmin') {
    refuseXmin(tables)
    return sourceOf(`${rowAlias}.xmin::text`, undefined, await prefix(options, database, wait))
  }
  if ('expression' in version) return sourceOf(`coalesce((${version.expression})::text, '')`, undefined, '')
  const { column, next, soleWriter = false } = version
  const found = tables.table.columns.get(column)
  if (found === undefined) throw unfit(`there is no column "${column}" for versions. ${fix}`)
  if (!tables.source.columns.has(column)) {
    throw unfit(
      `"readFrom" lacks the version column "${column}" of the table. If "readFrom" is a query, select the column. ` +
        'If it is a view that is older than the column, create the view again',
    )
  }
  if (next === undefined && !found.generated) {
    if (found.default === null) throw unfit(`the version column "${column}" has no default. ${fix}`)
    if (!neverRepeats(found.default)) {
      throw unfit(`the default of the version column "${column}", ${found.default}, may repeat a value. ${fix}`)
    }
  }
  const assignment = found.generated
    ? undefined
    : { column, sql: nextSql(found, next), hasDefault: found.default !== null }
  // Random versions need no prefix. The numbers of a sequence may start over when an embedded
  // database restarts, so they need a prefix.
  const before = database.embedded && !isRandom(found.default) ? await prefix(options, database, wait) : ''
  const sql = columnSql(found)
  // A generated column may be computed from fewer columns than the record shows, so the version
  // always includes a digest.
  if (!found.generated && (soleWriter || isAlwaysRenewed(tables.table, column)))
    return sourceOf(sql, assignment, before)
  if (tables.table.distributed)
    throw unfit(
      'the table is distributed by Citus, which supports neither a trigger that updates the version column ' +
        `"${column}" nor a digest of a row. If only this adapter writes the rows, declare that: version: { column: ` +
        `"${column}", soleWriter: true }`,
    )
  const whole = `(${sql} || '.' || ${digestSql(layout.content)})`
  const shownSql = options.readFrom === undefined ? whole : fromTable(whole, options, layout)
  return { ...sourceOf(whole, assignment, before), shownSql, hasDigest: true }
}

/**
 * The SQL of the next version. A random UUID is generated here and sent as a parameter. With
 * DEFAULT, the UPDATE would contain a VOLATILE function, which distributed tables do not accept.
 */
function nextSql({ type, default: given }: CatalogColumn, next: string | undefined): VersionAssignment['sql'] {
  if (next !== undefined) return () => next
  return type === 'uuid' && isRandomAlone(given)
    ? (parameters) => parameters.add(randomUUID(), 'uuid')
    : () => 'DEFAULT'
}

function columnSql({ name, type, notNull }: CatalogColumn): string {
  // The text of a timestamp depends on the settings of the session.
  const sql = type.startsWith('timestamp')
    ? `extract(epoch FROM ${rowAlias}.${quote(name)})::text`
    : `${rowAlias}.${quote(name)}::text`
  // Rows that are older than the column may hold null. Until they are written, their version is
  // empty.
  return notNull ? sql : `coalesce(${sql}, '')`
}

/**
 * SQL that computes a digest over the results of these expressions. Null and `''` have different
 * digests.
 */
const digestSql = (texts: readonly string[]): string =>
  `left(encode(sha256(convert_to(ROW(${texts.join(', ')})::text, 'UTF8')), 'hex'), 32)`

/**
 * SQL that reads the version from the table itself, for a row of the view or query in `readFrom`.
 * The columns of `readFrom` are not used, because they can hold other values under the same names.
 */
function fromTable(sql: string, { table }: PostgresAdapterOptions, layout: Layout): string {
  const inner = (text: string): string => text.replaceAll(`${rowAlias}."`, '_t."')
  const same = layout.key.map((member) => `${inner(member.sql)} = ${member.sql}`).join(' AND ')
  return `(SELECT ${inner(sql)} FROM ${quoteRelation(relationName(table))} AS _t WHERE ${same})`
}

const fix =
  'Use a default that never repeats a value: ALTER TABLE ... ADD COLUMN version uuid NOT NULL DEFAULT ' +
  'gen_random_uuid(); or set version.next to the SQL of the next version'

function refuseXmin({ table, source }: { readonly table: Relation; readonly source: Relation }): void {
  if (table.distributed || source.distributed)
    throw unfit(
      'the table is distributed by Citus. Its rows lie on several servers, each of which counts transactions ' +
        'separately, so xmin cannot be the version. Name a column in "version"',
    )
  const what = { p: 'a partitioned table', v: 'a view', m: 'a materialized view', f: 'a foreign table' }[
    source.kind === 'r' ? table.kind : source.kind
  ]
  if (what !== undefined) throw unfit(`${what} has no xmin that could be the version. Name a column in "version"`)
}

/**
 * The prefix that distinguishes the versions of this database from the versions of other databases:
 * the option `epoch`, or else the server's system identifier. For an embedded database, the time of
 * its start is added to the identifier.
 */
async function prefix({ epoch }: PostgresAdapterOptions, database: Database, wait: Wait): Promise<string> {
  if (epoch !== undefined) return `${epoch}.`
  try {
    const life = database.embedded ? 'extract(epoch FROM pg_postmaster_start_time())::numeric(20, 0)::text' : 'NULL'
    const [found] = await database.query(
      `SELECT system_identifier::text AS c0, ${life} AS c1 FROM pg_control_system()`,
      [],
      wait,
    )
    return `${[found?.c0, found?.c1].flatMap((part) => (part == null ? [] : [BigInt(part).toString(36)])).join('.')}.`
  } catch (error) {
    const { code } = error as { code?: string }
    if (code !== '42501' && code !== '42883' && code !== '0A000') throw error
    throw unfit(
      'the server does not provide its system identifier, which the versions need as a prefix. Set "epoch" ' +
        'to a string of your own that changes when the database is restored, or name a column in "version"',
    )
  }
}

function sourceOf(sql: string, assignment: VersionSource['assignment'], prefix: string): VersionSource {
  return {
    sql,
    shownSql: sql,
    assignment,
    hasDigest: false,
    shown: (stored) => `${prefix}${stored ?? ''}`,
    matches(version, parameters) {
      // Versions are compared as strings. If they were compared as numbers, `1` and `01` would be
      // the same version.
      const stored = version.startsWith(prefix) ? version.slice(prefix.length) : undefined
      return stored === undefined || /\0|\p{Surrogate}/u.test(stored) ? 'false' : `${sql} = ${parameters.add(stored)}`
    },
  }
}
