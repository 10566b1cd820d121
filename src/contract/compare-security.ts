/** Compares the security requirements of operations. */
import { canonicalText, isList, isObject, own } from '../definition/json.js'
import type { OperationSides } from './compare-parameters.js'
import { levelOf, type OwnKind } from './kinds.js'
import { child, type Place, type Source } from './nodes.js'

/** One security requirement: its schemes with their scopes, keyed by the result of `identityOf`. */
interface Requirement {
  readonly schemes: ReadonlyMap<string, { readonly name: string; readonly scopes: ReadonlySet<string> }>
}

/**
 * Compares the security of two operations. Each set of credentials that was sufficient before must
 * still be sufficient.
 */
export function compareSecurity(before: Place, after: Place, { changes, operation, ...sides }: OperationSides): void {
  const old = requirementsOf(sides.before, before)
  const updated = requirementsOf(sides.after, after)
  const places = { before: securityOf(sides.before, before), after: securityOf(sides.after, after) }
  const add = (kind: OwnKind, detail: string, what: string, effect?: string): void =>
    changes.add({
      kind,
      level: levelOf(kind),
      operation,
      place: 'security',
      ...places,
      detail,
      what,
      ...(effect === undefined ? {} : { effect }),
    })
  const of = `${operation.method} ${operation.path}`
  for (const way of old) {
    if (updated.some((other) => covers(way, other))) continue
    const names = namesOf(way)
    const stricter = updated.find((other) => [...other.schemes.keys()].every((key) => way.schemes.has(key)))
    if (way.schemes.size === 0)
      add('security-added', '', `${of} needs credentials now`, 'clients that send none get 401')
    else if (stricter !== undefined) {
      const scopes = addedScopes(way, stricter)
      const noun = scopes.length === 1 ? 'scope' : 'scopes'
      add(
        'security-scope-added',
        names,
        `${of} needs the ${noun} ${scopes.map((scope) => `"${scope}"`).join(', ')} of ${names} now`,
        `clients without ${scopes.length === 1 ? 'it' : 'all of them'} get 403`,
      )
    } else
      add(
        'security-scheme-removed',
        names,
        `${of} can no longer be called with ${names} alone`,
        'clients that do so get 401',
      )
  }
  const gained = updated.filter((way) => !old.some((other) => covers(way, other)))
  for (const way of gained)
    if (!old.some((other) => covers(other, way)) || way.schemes.size === 0)
      add('security-relaxed', namesOf(way), `${of} can be called with ${namesOf(way)} now`)
}

/** Returns whether the credentials for one requirement also satisfy another requirement. */
function covers(has: Requirement, needs: Requirement): boolean {
  return [...needs.schemes].every(([key, { scopes }]) => {
    const own = has.schemes.get(key)
    return own !== undefined && [...scopes].every((scope) => own.scopes.has(scope))
  })
}

const namesOf = ({ schemes }: Requirement): string =>
  schemes.size === 0 ? 'no credentials' : [...schemes.values()].map(({ name }) => `"${name}"`).join(' and ')

const addedScopes = (has: Requirement, needs: Requirement): readonly string[] =>
  [...needs.schemes].flatMap(([key, { scopes }]) =>
    [...scopes].filter((scope) => has.schemes.get(key)?.scopes.has(scope) !== true),
  )

/**
 * Returns `security` of the operation. If the operation has none, returns `security` of the
 * document.
 */
const securityOf = (source: Source, operation: Place): Place =>
  child(own(operation.value, 'security') === undefined ? source.root : operation, 'security')

/**
 * Returns the security requirements of an operation. If none are declared, no authentication is
 * needed.
 */
function requirementsOf(source: Source, operation: Place): readonly Requirement[] {
  const listed = securityOf(source, operation).value
  if (!isList(listed) || listed.length === 0) return [{ schemes: new Map() }]
  return listed.map((way) => ({
    schemes: new Map(
      Object.entries(isObject(way) ? way : {}).map(([name, scopes]) => [
        identityOf(source, name),
        { name, scopes: new Set(isList(scopes) ? scopes.map(String) : []) },
      ]),
    ),
  }))
}

/**
 * Returns a string that identifies a scheme independently of its name. Token URLs and the bearer
 * format are ignored, because they do not change requests.
 */
function identityOf(source: Source, name: string): string {
  const scheme = source.member(source.root, 'components', 'securitySchemes', name)
  if (scheme === undefined) return `unknown ${name}`
  const text = (member: string): string | undefined => {
    const value = own(scheme.value, member)
    return typeof value === 'string' ? value : undefined
  }
  const field = text('in') === 'header' ? text('name')?.toLowerCase() : text('name')
  return canonicalText([
    text('type') ?? '',
    text('scheme')?.toLowerCase() ?? '',
    text('in') ?? '',
    field ?? '',
    text('openIdConnectUrl') ?? '',
  ])
}
