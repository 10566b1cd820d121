/**
 * The ids of operations. They are suitable method names in generated clients, and stay the same as
 * long as the address does: `listPrePiezas`, `getPrePieza`.
 */
import { singularOf } from '../definition/singular.js'
import type { Route } from '../plan/routes.js'
import { typeOf } from './member-schemas.js'
import { typeName } from './names.js'

/** The verb of an operation id, by kind of route and method. */
const verbs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  collection: { GET: 'list', HEAD: 'count', POST: 'create' },
  item: { GET: 'get', HEAD: 'check', PUT: 'replace', PATCH: 'update', DELETE: 'delete' },
  members: { GET: 'list', HEAD: 'count', POST: 'create' },
  member: { GET: 'get', HEAD: 'check', PUT: 'attach', DELETE: 'detach' },
  flag: { GET: 'get', HEAD: 'check', PUT: 'set', DELETE: 'unset' },
}

/**
 * Returns the operation ids of a route, by method. The verb of an endpoint is the method itself.
 */
export function operationIdsOf(route: Route): (method: string) => string {
  const place = placeOf(route, false)
  return (method) => {
    const verb = verbs[route.kind]?.[method] ?? method.toLowerCase()
    return `${verb}${method === 'POST' ? placeOf(route, true) : place}`
  }
}

/** Returns the noun of the id. `one`: in the singular, as for POST to a collection. */
function placeOf(route: Route, one: boolean): string {
  const { kind, resource, association, endpoint, template } = route
  if (resource === undefined) {
    return typeName(template.replaceAll('/', '-'))
  }
  if (endpoint !== undefined) return `${typeOf(resource)}${typeName(endpoint.name)}`
  if (kind === 'flag') return `${typeOf(resource)}${typeName(template.split('/').at(-1) ?? '')}`
  if (association === undefined) {
    if (kind === 'collection') return one ? typeOf(resource) : typeName(resource.plan.collection)
    return distinct(typeOf(resource), typeName(resource.plan.collection))
  }
  const { parent, as } = association
  const singular = as === resource.plan.collection ? typeOf(resource) : typeName(singularOf(as))
  if (kind === 'members') return `${typeOf(parent)}${one ? singular : typeName(as)}`
  return `${typeOf(parent)}${distinct(singular, typeName(as))}`
}

/**
 * If singular and plural are the same word, the ids for OPTIONS of the list and of the item must
 * still differ.
 */
const distinct = (singular: string, plural: string): string => (singular === plural ? `${singular}Item` : singular)
