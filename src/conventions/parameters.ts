/** The option `parameters`: aliases of parameters, and ignored parameters. */
import { isObject } from '../definition/json.js'
import { checkOptions, invalidOption } from '../options/check.js'
import type { Kind, Kinds } from '../options/kinds.js'
import { parameter } from '../wire.js'

/** An alias of a parameter. */
export type ParameterAlias =
  | string
  /**
   * `unit` is the meaning of the value. `rows`: the number of rows before the page, which must be a
   * multiple of `limit`. `page`: the page number, as in the parameter `offest`. Default `page`.
   */
  | { readonly name: string; readonly unit?: 'page' | 'rows' }

/**
 * The aliases of each list parameter, and the names of parameters to ignore. The keys are the names
 * of the parameters in the conventions.
 */
export interface ParameterOptions {
  readonly offest?: readonly ParameterAlias[]
  readonly limit?: readonly string[]
  readonly sort?: readonly string[]
  readonly q?: readonly string[]
  readonly expand?: readonly string[]
  /**
   * Names of parameters that are ignored. A trailing `*` makes the name a prefix, as in `utm_*`.
   */
  readonly ignore?: readonly string[]
}

/** The meaning of an alias. */
export interface Alias {
  /** The name of the parameter in the conventions. */
  readonly to: string
  readonly unit: 'page' | 'rows'
  /** The clause of the findings about this alias. */
  readonly clause: string
}

/** The resolved option `parameters`. */
export interface ParameterNames {
  readonly aliases: ReadonlyMap<string, Alias>
  isIgnored(name: string): boolean
  /** Ignored names and prefixes, for OpenAPI documents. */
  readonly ignored: readonly string[]
}

const nameKind: Kind = { a: 'the name of a parameter such as "page"', like: /^[^\s&=#*]{1,64}$/ }
const aliasesKind: Kind = { each: nameKind, min: 1 }

export const aliasKinds: Kinds<Exclude<ParameterAlias, string>> = {
  name: { required: nameKind },
  unit: { oneOf: ['page', 'rows'] },
}

export const parameterKinds: Kinds<ParameterOptions> = {
  offest: { each: [nameKind, { options: aliasKinds }], min: 1 },
  limit: aliasesKind,
  sort: aliasesKind,
  q: aliasesKind,
  expand: aliasesKind,
  ignore: {
    each: { a: 'a name such as "_", or the beginning of names such as "utm_*"', like: /^[^\s&=#*]{1,64}\*?$/ },
    min: 1,
  },
}

/** The clause of each parameter that can have aliases. */
const clauseOf: Readonly<Record<string, string>> = {
  [parameter.page]: 'QUERY-4',
  [parameter.size]: 'QUERY-5',
  [parameter.sort]: 'QUERY-2',
  [parameter.search]: 'QUERY-3',
  [parameter.expand]: 'QUERY-6',
}

const ownNames: ReadonlySet<string> = new Set([...Object.values(parameter)])

/**
 * Resolves the option `parameters`. In messages, `what` names the owner of the option. Throws
 * `ConfigurationError` if an alias is given twice, if an alias is also ignored, or if an alias or
 * an ignored name is the name of a parameter.
 */
export function resolveParameters(what: string, given: ParameterOptions | undefined): ParameterNames | undefined {
  if (given === undefined) return undefined
  const { ignore = [], ...names } = checkOptions<ParameterOptions>(
    `the option "parameters" of ${what}`,
    given,
    parameterKinds,
  )
  const aliases = new Map<string, Alias>()
  for (const [to, list] of Object.entries(names)) {
    for (const one of (list as readonly ParameterAlias[] | undefined) ?? []) {
      const { name, unit = 'page' } = isObject(one) ? (one as Exclude<ParameterAlias, string>) : { name: one as string }
      if (ownNames.has(name)) {
        throw invalidOption(
          `The option "parameters" of ${what} has "${name}" as an alias of "${to}", but "${name}" is a parameter. ` +
            'Remove the alias.',
        )
      }
      const other = aliases.get(name)
      if (other !== undefined) {
        throw invalidOption(
          `The option "parameters" of ${what} has "${name}" twice, for "${other.to}"` +
            `${other.to === to ? '' : ` and "${to}"`}. Keep one of them.`,
        )
      }
      aliases.set(name, { to, unit, clause: clauseOf[to] ?? 'QUERY-8' })
    }
  }
  const stray = ignore.find((name) => ownNames.has(name) || aliases.has(name))
  if (stray !== undefined) {
    throw invalidOption(
      `The option "parameters" of ${what} ignores "${stray}", which is also a parameter or an alias. Remove it ` +
        'from "ignore", or remove the alias.',
    )
  }
  const exact = new Set(ignore.filter((name) => !name.endsWith('*')))
  const prefixes = ignore.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1))
  return {
    aliases,
    isIgnored: (name) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix)),
    ignored: ignore,
  }
}
