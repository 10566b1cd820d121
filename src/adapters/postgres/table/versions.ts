/** Where the version of a row comes from, and how one is compared with it (HDR-2, HDR-3). */
import { randomUUID } from 'node:crypto'
import type { Database, Wait } from '../connections/client.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import { type Parameters, quote, quoteRelation, relationName, row } from '../sql/sql.js'
import { unfit } from '../unfit.js'
import type { CatalogColumn, Relation } from './catalog.js'
import type { Layout } from './layout.js'
import { isMoved, isRandom, isRandomAlone, neverRepeats } from './movers.js'

export interface VersionSource {
  /** The SQL of the version in a row of the table, as text. */
  readonly sql: string
  /** The same in a row of what is read. */
  readonly shownSql: string
  /** What a write sets, where it sets something. */
  readonly assignment: VersionAssignment | undefined
  /** Whether it includes a digest of the row's content. */
  readonly hasDigest: boolean
  /** The version that clients know. */
  shown(stored: string | null): string
  /** The condition that a row still has this version. */
  matches(version: string, parameters: Parameters): string
}

/** The column of the version, and the SQL of the next one. */
interface VersionAssignment {
  readonly column: string
  readonly sql: (parameters: Parameters) => string
  readonly hasDefault: boolean
}

/** Throws `ConfigurationError` where the source would repeat itself, or isn't there. */
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
    return sourceOf(`${row}.xmin::text`, undefined, await prefix(options, database, wait))
  }
  if ('expression' in version) return sourceOf(`coalesce((${version.expression})::text, '')`, undefined, '')
  const { column, next, soleWriter = false } = version
  const found = tables.table.columns.get(column)
  if (found === undefined) throw unfit(`there is no column "${column}" for versions. ${mend}`)
  if (!tables.source.columns.has(column)) {
    throw unfit(
      `"readFrom" does not show the version: it needs the column "${column}" of the table. A view keeps the columns it was made with; make it anew`,
    )
  }
  if (next === undefined && !found.generated) {
    if (found.default === null) throw unfit(`the version column "${column}" has no default. ${mend}`)
    if (!neverRepeats(found.default)) {
      throw unfit(`the default of the version column "${column}", ${found.default}, may repeat. ${mend}`)
    }
  }
  const assignment = found.generated
    ? undefined
    : { column, sql: nextSql(found, next), hasDefault: found.default !== null }
  // Random versions need no prefix. A count starts over with an embedded database.
  const before = database.embedded && !isRandom(found.default) ? await prefix(options, database, wait) : ''
  const sql = columnSql(found)
  // What a generated column is computed from may be less than what the record shows.
  if (!found.generated && (soleWriter || isMoved(tables.table, column))) return sourceOf(sql, assignment, before)
  if (tables.table.distributed)
    throw unfit(
      `the table is distributed by Citus, which has no trigger that could move the version column "${column}" and takes no digest of a row. Declare that nothing else writes its rows: version: { column: "${column}", soleWriter: true }`,
    )
  const whole = `(${sql} || '.' || ${digestSql(layout.content)})`
  const shownSql = options.readFrom === undefined ? whole : fromTable(whole, options, layout)
  return { ...sourceOf(whole, assignment, before), shownSql, hasDigest: true }
}

/**
 * The next version. A random UUID is a parameter: DEFAULT would be a VOLATILE function in the UPDATE,
 * which no distributed table takes.
 */
function nextSql({ type, default: given }: CatalogColumn, next: string | undefined): VersionAssignment['sql'] {
  if (next !== undefined) return () => next
  return type === 'uuid' && isRandomAlone(given)
    ? (parameters) => parameters.add(randomUUID(), 'uuid')
    : () => 'DEFAULT'
}

function columnSql({ name, type, notNull }: CatalogColumn): string {
  // A timestamp's text depends on the session's settings.
  const sql = type.startsWith('timestamp')
    ? `extract(epoch FROM ${row}.${quote(name)})::text`
    : `${row}.${quote(name)}::text`
  // Rows from before the column was there have none: that is a version too, until they are written.
  return notNull ? sql : `coalesce(${sql}, '')`
}

/** SQL of a digest of texts, in which null and '' differ. */
const digestSql = (texts: readonly string[]): string =>
  `left(encode(sha256(convert_to(ROW(${texts.join(', ')})::text, 'UTF8')), 'hex'), 32)`

/** The version of a row of the table, looked up from a row of what is read: a view may show other values by the same names. */
function fromTable(sql: string, { table }: PostgresAdapterOptions, layout: Layout): string {
  const inner = (text: string): string => text.replaceAll(`${row}."`, '_t."')
  const same = layout.key.map((member) => `${inner(member.sql)} = ${member.sql}`).join(' AND ')
  return `(SELECT ${inner(sql)} FROM ${quoteRelation(relationName(table))} AS _t WHERE ${same})`
}

const mend =
  'Give it one that never repeats: ALTER TABLE ... ADD COLUMN version uuid NOT NULL DEFAULT gen_random_uuid(); or say in version.next how the next one is made'

function refuseXmin({ table, source }: { readonly table: Relation; readonly source: Relation }): void {
  if (table.distributed || source.distributed)
    throw unfit(
      'the table is distributed by Citus. Its rows lie on several servers, each of which counts transactions by itself, so xmin is no version. Name a column in "version"',
    )
  const what = { p: 'a partitioned table', v: 'a view', m: 'a materialized view', f: 'a foreign table' }[
    source.kind === 'r' ? table.kind : source.kind
  ]
  if (what !== undefined) throw unfit(`${what} has no xmin that could be a version. Name a column in "version"`)
}

/** What stands before versions that another database, or another life of this one, might give too. */
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
      'the server does not tell its system identifier, without which xmin is no version. Set "epoch" to a text of your own that changes when the database is restored, or name a column in "version"',
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
      // The text is compared: numbers have several, and each would match.
      const stored = version.startsWith(prefix) ? version.slice(prefix.length) : undefined
      return stored === undefined || /\0|\p{Surrogate}/u.test(stored) ? 'false' : `${sql} = ${parameters.add(stored)}`
    },
  }
}
