/** The ids of operations: good names of methods in a client, the same as long as the address is (`listPrePiezas`, `getPrePieza`). */
import { singularOf } from '../definition/singular.js'
import type { Situation } from '../plan/endings.js'
import type { Mounted, Route } from '../plan/routes.js'
import { typeName } from './names.js'
import { typeOf } from './record-schemas.js'

/** The verb of an operation's name. What is called by several methods has a verb for each. */
const verbs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  collection: { GET: 'list', HEAD: 'count', POST: 'create' },
  item: { GET: 'get', HEAD: 'check', PUT: 'replace', PATCH: 'update', DELETE: 'delete' },
  members: { GET: 'list', HEAD: 'count', POST: 'create' },
  member: { GET: 'get', HEAD: 'check', PUT: 'attach', DELETE: 'detach' },
  flag: { GET: 'get', HEAD: 'check', PUT: 'set', DELETE: 'unset' },
}

/** The id of an operation. HEAD of an endpoint is `head`, as its other methods are called by their own names. */
export function operationId({ method, route }: Pick<Situation, 'method' | 'route'>): string {
  const verb = verbs[route.kind]?.[method] ?? method.toLowerCase()
  return `${verb}${placeOf(route, method === 'POST')}`
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
    return itemName(resource)
  }
  const { parent, as } = association
  const singular = as === resource.plan.collection ? typeOf(resource) : typeName(singularOf(as))
  return `${typeOf(parent)}${kind === 'members' && !one ? typeName(as) : singular}`
}

/** Some nouns have no plural of their own: OPTIONS of the list and of an item need two names. */
function itemName(resource: Mounted): string {
  const name = typeOf(resource)
  return name === typeName(resource.plan.collection) ? `${name}Item` : name
}
