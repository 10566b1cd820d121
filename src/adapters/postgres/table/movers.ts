/** Whether the database itself gives a version column a new value on each update, whoever makes it (HDR-8). */
import type { CatalogTrigger, Relation } from './catalog.js'

/** A function that gives a UUID which it never gave before. Versions 3 and 5 are made of a name, and repeat with it. */
const uuid = /\b(?:gen_random_uuid|uuidv4|uuidv7|uuid_generate_v[14]\w*)\s*\(/

export const isRandom = (sql: string | null): boolean => uuid.test(sql ?? '')

/** Whether SQL is a random UUID and nothing else. */
export const isRandomAlone = (sql: string | null): boolean =>
  /^(?:\w+\.)?(?:gen_random_uuid|uuidv4|uuidv7|uuid_generate_v4)\(\s*\)$/.test(sql?.trim() ?? '')

/** Whether SQL makes a value that it never made before. Clocks and counts of the row's own do not. */
export const neverRepeats = (sql: string | null): boolean => isRandom(sql) || /\bnextval\s*\(/.test(sql ?? '')

/**
 * Whether a trigger sets the column on every update of every row, to a value that the row never had.
 * What can't be told from its source counts as no: the version then has a digest of the row, which is
 * always right.
 */
export function isMoved({ kind, parts, triggers, columns }: Relation, column: string): boolean {
  // Partitions have the triggers of their table, tables that inherit from it have not.
  if (kind !== 'p' && (kind !== 'r' || parts.length > 0)) return false
  // A row that is deleted and made again must not get the version it had.
  if (!neverRepeats(columns.get(column)?.default ?? null)) return false
  const before = triggers.filter(({ each, timing, update }) => each === 'row' && timing === 'before' && update)
  // Triggers run in the order of their names: what one sets, a later one may set back.
  return before.some(
    (one) =>
      one.own &&
      !one.limited &&
      sets(one, column) &&
      !before.some((later) => later.name > one.name && touches(later, column)),
  )
}

/** Only PL/pgSQL can be read. Functions in C, such as `moddatetime`, set the time, which repeats. */
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

/** The source without comments and texts. */
export const codeOf = ({ source }: CatalogTrigger): string =>
  source
    .replace(/--.*$/gm, ' ')
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(/'(?:[^']|'')*'/g, "''")

const member = (column: string): string => {
  const name = column.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return `\\s*\\.\\s*(?:"${name}"|\\b${name}\\b)`
}

/** A new value and nothing else: `coalesce(NEW.version, gen_random_uuid())` keeps the old one. */
const fresh =
  /^\s*(?:[\w"]+\s*\.\s*)?(?:(?:gen_random_uuid|uuidv4|uuidv7|uuid_generate_v[14]\w*)\s*\(\s*\)|nextval\s*\([^()]*\))(?:\s*::\s*[\w". ]+)?\s*;/i

/** What may pass the assignment by. A comparison of NEW and OLD does too: `=` takes different texts of `citext` and `interval` for equal. */
const branches = /\b(?:if|case|loop|return|exit|exception|execute)\b/i

/** The whole row may be set, or another one given back. */
const wholeRow = /\bnew\s*:?=|\binto\s+(?:strict\s+)?new\b(?!\s*\.)|\breturn\s+(?!(?:new|null)\s*;)/i
