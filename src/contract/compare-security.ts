/** Compares the credentials that operations ask for. */
import { canonicalText, isList, isObject, own } from '../definition/json.js'
import type { OperationSides } from './compare-parameters.js'
import { levelOf, type OwnKind } from './kinds.js'
import { child, type Place, type Source } from './nodes.js'

/** What one way of asking needs: schemes by what they are, with their scopes. */
interface Way {
  readonly schemes: ReadonlyMap<string, { readonly name: string; readonly scopes: ReadonlySet<string> }>
}

/** Compares what two operations ask for: each way that was enough must still be. */
export function compareSecurity(before: Place, after: Place, { changes, operation, ...sides }: OperationSides): void {
  const old = waysOf(sides.before, before)
  const young = waysOf(sides.after, after)
  const places = { before: securityOf(sides.before, before), after: securityOf(sides.after, after) }
  const add = (kind: OwnKind, detail: string, what: string, so?: string): void =>
    changes.add({
      kind,
      level: levelOf(kind),
      operation,
      place: 'security',
      ...places,
      detail,
      what,
      ...(so === undefined ? {} : { so }),
    })
  const of = `${operation.method} ${operation.path}`
  for (const way of old) {
    if (young.some((other) => suffices(way, other))) continue
    const names = namesOf(way)
    const stricter = young.find((other) => [...other.schemes.keys()].every((key) => way.schemes.has(key)))
    if (way.schemes.size === 0)
      add('security-added', '', `${of} needs credentials now`, 'clients that send none get 401')
    else if (stricter !== undefined)
      add(
        'security-scope-added',
        names,
        `${of} needs the scope ${addedScopes(way, stricter)} of ${names} now`,
        'clients without it get 403',
      )
    else
      add(
        'security-scheme-removed',
        names,
        `${of} can no longer be called with ${names} alone`,
        'clients that do get 401',
      )
  }
  const gained = young.filter((way) => !old.some((other) => suffices(way, other)))
  for (const way of gained)
    if (!old.some((other) => suffices(other, way)) || way.schemes.size === 0)
      add('security-relaxed', namesOf(way), `${of} can be called with ${namesOf(way)} now`)
}

/** Whether who has what one way needs has what another needs. */
function suffices(has: Way, needs: Way): boolean {
  return [...needs.schemes].every(([key, { scopes }]) => {
    const own = has.schemes.get(key)
    return own !== undefined && [...scopes].every((scope) => own.scopes.has(scope))
  })
}

const namesOf = ({ schemes }: Way): string =>
  schemes.size === 0 ? 'no credentials' : [...schemes.values()].map(({ name }) => `"${name}"`).join(' and ')

const addedScopes = (has: Way, needs: Way): string =>
  [...needs.schemes]
    .flatMap(([key, { scopes }]) => [...scopes].filter((scope) => has.schemes.get(key)?.scopes.has(scope) !== true))
    .map((scope) => `"${scope}"`)
    .join(', ')

/** What an operation says of credentials, else the document. */
const securityOf = (source: Source, operation: Place): Place =>
  child(own(operation.value, 'security') === undefined ? source.root : operation, 'security')

/** The security requirements of an operation, else those of the document. Without any, no authentication is needed. */
function waysOf(source: Source, operation: Place): readonly Way[] {
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

/** What a scheme is, whatever its name: where a token is fetched, and how it looks, changes no request. */
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
