/** One route: its methods, of those that definition and adapter offer, and its `Allow` (VERB-9). */
import type { Endpoint } from './endpoint.js'
import { type CompiledEndpoint, compileEndpoint } from './endpoint-plan.js'
import type { Method, Mount } from './mount.js'
import type { Mounted, OperationName, Route } from './routes.js'

type Methods = readonly (readonly [Exclude<Method, 'HEAD' | 'OPTIONS'>, OperationName])[]

export function collectionMethods({ adapter, options }: Mount): Methods {
  const offered: Methods = [get('list'), ...when(adapter.create, ['POST', 'create'])]
  return only(offered, options.collection)
}

export function itemMethods({ adapter, options }: Mount): Methods {
  const offered: Methods = [
    get('read'),
    ...when(adapter.replace, ['PUT', 'replace'], ['PATCH', 'patch']),
    ...when(adapter.remove, ['DELETE', 'remove']),
  ]
  return only(offered, options.item)
}

/** A flag is a change of its item, so whoever mounts the item without PATCH mounts its flags to be read. */
export function flagMethods({ adapter, options }: Mount): Methods {
  const item = options.item ?? ['GET', 'PATCH']
  return [
    ...(item.includes('GET') ? [get('readFlag')] : []),
    ...(item.includes('PATCH') ? when(adapter.replace, ['PUT', 'setFlag'], ['DELETE', 'unsetFlag']) : []),
  ]
}

/** In a parent's collection a resource has the methods that its own mount gives it. A record is created and attached in one step, so the store has to offer both. */
export function membersMethods({ adapter, options }: Mount): Methods {
  return only([get('listMembers'), ...when(adapter.create && adapter.attach, ['POST', 'createMember'])], options.collection)
}

export function memberMethods({ adapter, options }: Mount): Methods {
  return only([get('readMember'), ...when(adapter.attach, ['PUT', 'attach']), ...when(adapter.detach, ['DELETE', 'detach'])], options.item)
}

const get = (operation: OperationName): Methods[number] => ['GET', operation]
const when = (offered: unknown, ...methods: Methods): Methods => (offered === undefined ? [] : methods)
const only = (offered: Methods, wanted: readonly string[] | undefined): Methods =>
  wanted === undefined ? offered : offered.filter(([method]) => wanted.includes(method))

/** Makes a route. Whoever may GET may HEAD: the operation is the same, the answer differs (VERB-8). */
export function route(
  kind: Route['kind'],
  template: string,
  methods: Methods,
  extra: { resource: Route['resource'] } & Partial<Pick<Route, 'flag' | 'association'>> & { endpoint?: CompiledEndpoint },
): Route {
  const operations = new Map<string, OperationName>()
  for (const [method, operation] of methods) {
    operations.set(method, operation)
    if (method === 'GET') operations.set('HEAD', operation)
  }
  operations.set('OPTIONS', 'options')
  return Object.freeze({ kind, template, operations, allow: [...operations.keys()].join(', '), ...extra })
}

export function endpointRoute(entry: Endpoint): Route {
  const endpoint = compileEndpoint(entry)
  const template = `${entry.area === undefined ? '' : `/${entry.area}`}/${entry.name}`
  return route('endpoint', template, methodsOf(endpoint, 'call'), { resource: undefined, endpoint })
}

/** An endpoint below the items of a resource. Its handlers write as they like, so nothing of the adapter or of the item's methods limits them. */
export function endpointBelow(entry: Endpoint<never>, resource: Mounted, itemTemplate: string): Route {
  const endpoint = compileEndpoint(entry)
  return route('endpoint', `${itemTemplate}/${entry.name}`, methodsOf(endpoint, 'callBelow'), { resource, endpoint })
}

/** HEAD comes with GET. */
const methodsOf = ({ methods }: CompiledEndpoint, operation: OperationName): Methods =>
  [...methods.keys()].filter((method) => method !== 'HEAD').map((method) => [method, operation] as Methods[number])
