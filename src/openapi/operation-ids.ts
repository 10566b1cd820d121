/**
 * The ids of operations, such as `listPrePiezas` and `getPrePieza`. They are suitable as method
 * names in generated clients. An id stays the same as long as the method, the path and the singular
 * of the resource stay the same.
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
 * Returns a function that maps each method of a route to its operation id. For endpoints, and for
 * OPTIONS of any route, the verb is the method itself.
 */
export function operationIdsOf(route: Route): (method: string) => string {
  const place = placeOf(route, false)
  return (method) => {
    const verb = verbs[route.kind]?.[method] ?? method.toLowerCase()
    return `${verb}${method === 'POST' ? placeOf(route, true) : place}`
  }
}

/**
 * Returns the noun of an operation id. `isSingular`: whether the noun of a list is in the singular,
 * as it is for POST. The noun of an item is always in the singular.
 */
function placeOf(route: Route, isSingular: boolean): string {
  const { kind, resource, association, endpoint, template } = route
  if (resource === undefined) {
    return typeName(template.replaceAll('/', '-'))
  }
  if (endpoint !== undefined) return `${typeOf(resource)}${typeName(endpoint.name)}`
  if (kind === 'flag') return `${typeOf(resource)}${typeName(template.split('/').at(-1) ?? '')}`
  if (association === undefined) {
    if (kind === 'collection') return isSingular ? typeOf(resource) : typeName(resource.plan.collection)
    return distinct(typeOf(resource), typeName(resource.plan.collection))
  }
  const { parent, as } = association
  const singular = as === resource.plan.collection ? typeOf(resource) : typeName(singularOf(as))
  if (kind === 'members') return `${typeOf(parent)}${isSingular ? singular : typeName(as)}`
  return `${typeOf(parent)}${distinct(singular, typeName(as))}`
}

/**
 * Returns a singular that differs from the plural. If singular and plural were the same word,
 * OPTIONS of the list and OPTIONS of the item would have the same id.
 */
const distinct = (singular: string, plural: string): string => (singular === plural ? `${singular}Item` : singular)
