/**
 * Lints an OpenAPI document without a running service. The rules are those of this project's
 * Spectral ruleset, and one more rule about references. Each rule of the ruleset is a pure
 * function. Its argument is the document, in which each reference to a part of the document has
 * been replaced by that part.
 */
import { type ClauseId, clauses } from '../../clauses.js'
import { escapePointer } from '../../definition/json.js'
import { methods } from '../../spectral/document.js'
import ruleset from '../../spectral/index.js'
import { isDocument } from '../target/document-target.js'
import { withoutReferences } from '../target/references.js'
import { referenceFaults } from './reference-faults.js'

/**
 * A finding. Its members have the names that baselines use: `check` is the rule, and `where` is the
 * position in the document.
 */
export interface LintFinding {
  /** The rule, such as `path-2-plural`. */
  readonly check: string
  /**
   * The clause of the rule. The rule about references has none, because the conventions say nothing
   * about references.
   */
  readonly clause?: ClauseId
  /** What is wrong, and the fix. */
  readonly message: string
  /** A JSON Pointer as a URI fragment, such as `#/paths/~1orders/get`. */
  readonly where: string
  readonly path: readonly (string | number)[]
}

export interface LintRule {
  readonly name: string
  readonly clause?: ClauseId
  readonly description: string
}

/** The rule about references: each reference within the document leads to a value. */
export const referenceRule: LintRule = {
  name: 'reference',
  description: 'Each reference within the document leads to a value.',
}

/** The clause with which the name of a rule begins: `path-2-plural` belongs to `PATH-2`. */
const clauseOf = (name: string): ClauseId => {
  const id = /^[a-z]+-\d+/.exec(name)?.[0].toUpperCase() ?? ''
  if (!Object.hasOwn(clauses, id)) throw new TypeError(`The name of the rule ${name} does not begin with a clause.`)
  return id as ClauseId
}

/** All rules: the rule about references, and then the rules of the ruleset in their order. */
export const lintRules: readonly LintRule[] = [
  referenceRule,
  ...Object.entries(ruleset.rules).map(([name, { description }]) => ({ name, clause: clauseOf(name), description })),
]

/**
 * Runs the rules that `isWanted` selects, and returns their findings, rule by rule. `document` must
 * be an OpenAPI document of version 3.0 or 3.1.
 */
export function lintDocument(document: unknown, isWanted: (rule: LintRule) => boolean): readonly LintFinding[] {
  const resolved = withoutReferences(document)
  return lintRules.filter(isWanted).flatMap((rule): readonly LintFinding[] => {
    const { name: check, clause } = rule
    const findings =
      rule === referenceRule ? referenceFaults(document) : (ruleset.rules[check]?.then.function(resolved) ?? [])
    return findings.map(({ message, path }) => ({
      check,
      ...(clause === undefined ? {} : { clause }),
      message,
      where: pointerOf(path),
      path,
    }))
  })
}

const pointerOf = (path: readonly (string | number)[]): string =>
  `#${path.map((name) => `/${escapePointer(String(name))}`).join('')}`

/**
 * The reason why a value can't be linted. `undefined` for an OpenAPI document of version 3.0 or 3.1
 * that has paths.
 */
export function documentFault(value: unknown): string | undefined {
  if (isDocument(value)) return undefined
  const { swagger, openapi, paths } = (typeof value === 'object' && value !== null ? value : {}) as Record<
    string,
    unknown
  >
  if (swagger !== undefined)
    return `is Swagger ${String(swagger)}. Convert it to OpenAPI 3.0 or 3.1, for example with "npx swagger2openapi".`
  if (openapi === undefined)
    return 'is not an OpenAPI document: it has no member "openapi". Give a document of version 3.0 or 3.1.'
  if (!/^3\.[01]\b/.test(String(openapi)))
    return `is of OpenAPI version ${JSON.stringify(openapi)}. The versions 3.0 and 3.1 can be linted.`
  return paths === undefined
    ? 'has no "paths": there is nothing to lint.'
    : 'has a member "paths" that is not an object. Give an object of paths, such as { "/v1/orders": { "get": ... } }.'
}

/** The number of operations in a document. */
export function operationCount(document: unknown): number {
  const { paths } = withoutReferences(document) as { paths: Readonly<Record<string, unknown>> }
  return Object.values(paths).reduce<number>(
    (count, item) =>
      count +
      methods.filter((method) => typeof item === 'object' && item !== null && Object.hasOwn(item, method)).length,
    0,
  )
}
