/**
 * Detects whether the database sets a version column to a new value on each update, no matter which
 * client makes it (HDR-8).
 */
import type { CatalogTrigger, Relation } from './catalog.js'

/**
 * A function that returns a new UUID at each call. Versions 3 and 5 are derived from a name, and
 * repeat for the same name.
 */
const uuid = /\b(?:gen_random_uuid|uuidv4|uuidv7|uuid_generate_v[14]\w*)\s*\(/

export const isRandom = (sql: string | null): boolean => uuid.test(sql ?? '')

/** Whether SQL is only a call for a random UUID. */
export const isRandomAlone = (sql: string | null): boolean =>
  /^(?:\w+\.)?(?:gen_random_uuid|uuidv4|uuidv7|uuid_generate_v4)\(\s*\)$/.test(sql?.trim() ?? '')

/** Whether SQL returns a new value at each call. Clocks and counters of the row do not. */
export const neverRepeats = (sql: string | null): boolean => isRandom(sql) || /\bnextval\s*\(/.test(sql ?? '')

/**
 * Whether a trigger sets the column on every update of every row, to a value that the row never
 * had. If the source does not prove it, the result is false: the version then includes a digest of
 * the row, which is always correct.
 */
export function isMoved({ kind, parts, triggers, columns }: Relation, column: string): boolean {
  // Partitions have the triggers of their table; tables that inherit from it do not.
  if (kind !== 'p' && (kind !== 'r' || parts.length > 0)) return false
  // A row that is deleted and created again must not get its old version.
  if (!neverRepeats(columns.get(column)?.default ?? null)) return false
  const before = triggers.filter(({ each, timing, update }) => each === 'row' && timing === 'before' && update)
  // Triggers run in the order of their names, so a later one may undo the assignment of an earlier
  // one.
  return before.some(
    (one) =>
      one.own &&
      !one.limited &&
      sets(one, column) &&
      !before.some((later) => later.name > one.name && touches(later, column)),
  )
}

/**
 * Only the source of PL/pgSQL can be analyzed. Functions in C, such as `moddatetime`, set the time,
 * which repeats.
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

/** The source without comments and string literals. */
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
 * A new value and nothing else: `coalesce(NEW.version, gen_random_uuid())` would keep the old one.
 */
const fresh =
  /^\s*(?:[\w"]+\s*\.\s*)?(?:(?:gen_random_uuid|uuidv4|uuidv7|uuid_generate_v[14]\w*)\s*\(\s*\)|nextval\s*\([^()]*\))(?:\s*::\s*[\w". ]+)?\s*;/i

/**
 * Code that may bypass the assignment. That includes comparisons of NEW and OLD: `=` treats
 * different texts of `citext` and `interval` as equal.
 */
const branches = /\b(?:if|case|loop|return|exit|exception|execute)\b/i

/** Whether the whole row may be assigned, or another row returned. */
const wholeRow = /\bnew\s*:?=|\binto\s+(?:strict\s+)?new\b(?!\s*\.)|\breturn\s+(?!(?:new|null)\s*;)/i
