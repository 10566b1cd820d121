/** The ids of operations: good names of methods in a client, the same as long as the address is (`listPrePiezas`, `getPrePieza`). */
import { singularOf } from '../definition/singular.js'
import type { Route } from '../plan/routes.js'
import { typeOf } from './member-schemas.js'
import { typeName } from './names.js'

/** The verb of an operation's name. What is called by several methods has a verb for each. */
const verbs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  collection: { GET: 'list', HEAD: 'count', POST: 'create' },
  item: { GET: 'get', HEAD: 'check', PUT: 'replace', PATCH: 'update', DELETE: 'delete' },
  members: { GET: 'list', HEAD: 'count', POST: 'create' },
  member: { GET: 'get', HEAD: 'check', PUT: 'attach', DELETE: 'detach' },
  flag: { GET: 'get', HEAD: 'check', PUT: 'set', DELETE: 'unset' },
}

/** The ids of the operations of a route, by method. HEAD of an endpoint is `head`, as its other methods are called by their own names. */
export function operationIdsOf(route: Route): (method: string) => string {
  const place = placeOf(route, false)
  return (method) => {
    const verb = verbs[route.kind]?.[method] ?? method.toLowerCase()
    return `${verb}${method === 'POST' ? placeOf(route, true) : place}`
  }
}

/** `one`: one item of a list is meant, as where it is created. */
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

/** Some nouns have no plural of their own: OPTIONS of the list and of an item need two names. */
const distinct = (singular: string, plural: string): string => (singular === plural ? `${singular}Item` : singular)
