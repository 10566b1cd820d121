/**
 * Detects whether the database itself sets a version column to a new value on each update, no
 * matter which client makes the update (HDR-8).
 */
import type { CatalogTrigger, Relation } from './catalog.js'

/**
 * Matches a call of a function that returns a new UUID at each call. UUIDs of versions 3 and 5 are
 * not included: they are derived from a name, and repeat for the same name.
 */
const uuid = /\b(?:gen_random_uuid|uuidv4|uuidv7|uuid_generate_v[14]\w*)\s*\(/

export const isRandom = (sql: string | null): boolean => uuid.test(sql ?? '')

/** Whether an SQL expression consists only of a call of a function that returns a random UUID. */
export const isRandomAlone = (sql: string | null): boolean =>
  /^(?:\w+\.)?(?:gen_random_uuid|uuidv4|uuidv7|uuid_generate_v4)\(\s*\)$/.test(sql?.trim() ?? '')

/**
 * Whether an SQL expression calls a function that returns a new value at each call. Functions that
 * read the clock are not included, because they may return the same value twice. Expressions that
 * increment the row's own value, such as `version + 1`, are not included either.
 */
export const neverRepeats = (sql: string | null): boolean => isRandom(sql) || /\bnextval\s*\(/.test(sql ?? '')

/**
 * Whether a trigger sets the column on every update of every row, to a value that the row has never
 * had. If the trigger's source does not prove that, returns false. In that case, the version
 * includes a digest of the row. Such a version changes whenever the row changes, whatever the
 * triggers do.
 */
export function isAlwaysRenewed({ kind, tablesBelow, triggers, columns }: Relation, column: string): boolean {
  // Partitions have the triggers of the partitioned table. Tables that inherit from a table do not
  // have its triggers.
  if (kind !== 'p' && (kind !== 'r' || tablesBelow.length > 0)) return false
  // The default must never repeat a value. Otherwise, a row that is deleted and created again could
  // get its old version.
  if (!neverRepeats(columns.get(column)?.default ?? null)) return false
  const before = triggers.filter(({ each, timing, update }) => each === 'row' && timing === 'before' && update)
  // Triggers run in the order of their names, so a later trigger may undo the assignment of an
  // earlier one.
  return before.some(
    (one) =>
      one.own &&
      !one.limited &&
      sets(one, column) &&
      !before.some((later) => later.name > one.name && touches(later, column)),
  )
}

/**
 * Whether a trigger always sets the column to a new value. Only PL/pgSQL source can be analyzed.
 * For a function in C, returns false: `moddatetime`, for example, sets the current time, which may
 * repeat.
 */
function sets(trigger: CatalogTrigger, column: string): boolean {
  if (trigger.language !== 'plpgsql') return false
  const code = codeOf(trigger)
  const [before = '', after, more] = code.split(new RegExp(`\\bnew${member(column)}\\s*:?=`, 'i'))
  if (after === undefined || more !== undefined || new RegExp(`\\bnew${member(column)}`, 'i').test(after)) return false
  return /(?:\bbegin|;)\s*$/i.test(before) && !branches.test(before) && fresh.test(after) && !wholeRow.test(code)
}

/** Whether a trigger may set the column. */
function touches(trigger: CatalogTrigger, column: string): boolean {
  const { language, arguments: given } = trigger
  if (language === 'c' || language === 'internal') return given.includes(column)
  if (language !== 'plpgsql') return true
  const code = codeOf(trigger)
  return wholeRow.test(code) || code.toLowerCase().includes(column.toLowerCase())
}

/** The source of a trigger's function, with comments removed and string literals emptied. */
export const codeOf = ({ source }: CatalogTrigger): string =>
  source
    .replace(/--.*$/gm, ' ')
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(/'(?:[^']|'')*'/g, "''")

const member = (column: string): string => {
  const name = column.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return `\\s*\\.\\s*(?:"${name}"|\\b${name}\\b)`
}

/**
 * Matches the right side of an assignment if it consists only of a call that returns a new value.
 * `coalesce(NEW.version, gen_random_uuid())` does not match, because it would keep the old value.
 */
const fresh =
  /^\s*(?:[\w"]+\s*\.\s*)?(?:(?:gen_random_uuid|uuidv4|uuidv7|uuid_generate_v[14]\w*)\s*\(\s*\)|nextval\s*\([^()]*\))(?:\s*::\s*[\w". ]+)?\s*;/i

/**
 * Matches code that might skip the assignment. Even a condition that compares NEW with OLD might
 * skip it, because `=` treats some different values of `citext` and `interval` as equal.
 */
const branches = /\b(?:if|case|loop|return|exit|exception|execute)\b/i

/** Matches code that may assign the whole row NEW, or return another row. */
const wholeRow = /\bnew\s*:?=|\binto\s+(?:strict\s+)?new\b(?!\s*\.)|\breturn\s+(?!(?:new|null)\s*;)/i
