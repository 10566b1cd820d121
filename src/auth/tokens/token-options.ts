/** What a service asks of tokens, as JavaScript callers may write it. */
import { isList } from '../../definition/json.js'
import { ConfigurationError } from '../../problem.js'

const wrong = (what: string, name: string, mend: string): ConfigurationError =>
  new ConfigurationError('invalid-option', `The option "${name}" of ${what} ${mend}`)

type Given = Readonly<Record<string, unknown>>

/**
 * Refuses an option that is there without a value: `audience: process.env.AUDIENCE` with the variable missing would quietly check nothing.
 */
function present(what: string, name: string, given: Given): unknown {
  if (Object.hasOwn(given, name) && given[name] === undefined) {
    throw wrong(what, name, 'is undefined, by which nothing would be checked. Give a value, or leave the option out.')
  }
  return given[name]
}

/** One text that is not empty; `undefined` where the option is left out. Throws `ConfigurationError`. */
export function soleText(what: string, name: string, given: Given): string | undefined {
  const value = present(what, name, given)
  if (value !== undefined && (typeof value !== 'string' || value === '')) throw wrong(what, name, 'is no text. Give one that is not empty.')
  return value
}

/** One text or several, none empty, as a list; `undefined` where the option is left out. Throws `ConfigurationError`. */
export function oneOrMore(what: string, name: string, given: Given): readonly string[] | undefined {
  const value = present(what, name, given)
  if (value === undefined) return undefined
  const list: readonly unknown[] = isList(value) ? value : [value]
  if (list.length > 0 && list.every((one) => typeof one === 'string' && one !== '')) return Object.freeze([...list]) as readonly string[]
  throw wrong(what, name, 'is no text or list of texts. Give at least one, none empty.')
}

/** A number within bounds, both allowed; `undefined` where the option is left out. Throws `ConfigurationError`, which says the unit. */
export function boundedNumber(
  what: string,
  name: string,
  given: Given,
  { least, most, unit, whole = false }: { readonly least: number; readonly most: number; readonly unit: string; readonly whole?: boolean },
): number | undefined {
  const value = given[name]
  if (value === undefined) return undefined
  if (typeof value === 'number' && value >= least && value <= most && (!whole || Number.isInteger(value))) return value
  throw wrong(what, name, `is no ${whole ? 'whole ' : ''}number of ${unit} from ${least} to ${most}. Give one.`)
}
