/**
 * Creates routes. The route of a resource has the methods that its mount allows and its adapter
 * supports. The route of an endpoint has the methods that the endpoint declares. `Allow` lists the
 * methods of the route (VERB-9).
 */
import type { Caches } from '../cache.js'
import type { Modes } from '../conventions/modes.js'
import type { ParameterNames } from '../conventions/parameters.js'
import type { PageOptions } from '../definition/resource.js'
import type { Endpoint } from './endpoint.js'
import { type CompiledEndpoint, compileEndpoint } from './endpoint-plan.js'
import { type Life, mergedLife, resolveLife } from './life.js'
import type { Mount, MountOptions } from './mount.js'
import { concernsItem, type OperationDescription, type Target } from './operation.js'
import { livesOf, type MethodLife } from './route-lives.js'
import type { Mounted, Route } from './routes.js'
import type { ServedDocument } from './served-document.js'

/** The properties of a route except its methods. */
type Extra<Op extends OperationDescription> = { resource: Route['resource'] } & Partial<
  Pick<Route<Op>, 'flag' | 'association' | 'document' | 'file' | 'modes'>
> & {
    endpoint?: CompiledEndpoint
    /**
     * The life cycle of the path and everything below it. Default: the life cycle of the resource.
     */
    life?: Life | undefined
  }

/** Returns the clauses of the conventions that are not fully enforced at a path template. */
type ModesOf = (template: string) => Modes | undefined

/** The settings that all routes of a route table share. */
export interface TableSettings {
  readonly page?: PageOptions | undefined
  readonly caches?: Caches
  /**
   * Returns the clauses of the conventions that are not fully enforced at a path template. Default:
   * all clauses are enforced.
   */
  readonly modesOf?: ModesOf
  /** Aliases of query parameters. Default: none. */
  readonly parameters?: ParameterNames | undefined
}

/** Creates the routes of a route table from the available operations. */
export class RouteMaker<Op extends OperationDescription> {
  readonly #operations: readonly Op[]
  readonly #adoption: Pick<TableSettings, 'modesOf' | 'parameters'>

  constructor(operations: readonly Op[], adoption: Pick<TableSettings, 'modesOf' | 'parameters'>) {
    this.#operations = operations
    this.#adoption = adoption
  }

  /**
   * The settings of a path template for clients that used the service before it adopted the
   * conventions.
   */
  #adopted(template: string): Pick<Route, 'modes' | 'parameters'> {
    const { modesOf, parameters } = this.#adoption
    return { modes: modesOf?.(template), parameters }
  }

  /**
   * Creates a route of a resource. The route has the operations that the adapter offers and the
   * mount does not exclude (VERB-11).
   */
  resource(target: Target, template: string, { adapter, definition, options }: Mount, extra: Extra<Op>): Route<Op> {
    const wanted: MountOptions['collection'] | MountOptions['item'] = concernsItem(target)
      ? options.item
      : options.collection
    const offered = this.#at(target).filter(
      ({ method, writes, needs = writes === undefined ? [] : [writes], mountedAs = method }) =>
        needs.every((name) => adapter[name] !== undefined) &&
        (wanted === undefined || wanted.some((one) => one === mountedAs)),
    )
    const lives = this.#at(target).flatMap(({ name, method }): MethodLife[] => {
      const life = resolveLife(
        `the operation "${name}" of the mount of "${definition.collection}"`,
        options.operations?.[name] ?? {},
      )
      return life === undefined ? [] : [{ method, life }]
    })
    const { life = extra.resource?.life, ...rest } = extra
    return route({ kind: target, template, ...rest, ...this.#adopted(template), ...livesOf(life, lives) }, [
      ...offered,
      ...this.#at('any'),
    ])
  }

  endpoint(entry: Endpoint): Route<Op> {
    const template = `${entry.area === undefined ? '' : `/${entry.area}`}/${entry.name}`
    return this.#endpoint('endpoint', template, entry, undefined)
  }

  /**
   * Creates the route of an endpoint below the items of a resource. The endpoint's methods call its
   * own handlers. So neither the adapter nor the mount's option `item` limits these methods.
   */
  endpointBelow(entry: Endpoint<never>, resource: Mounted, itemTemplate: string): Route<Op> {
    return this.#endpoint('item-endpoint', `${itemTemplate}/${entry.name}`, entry, resource)
  }

  /** Creates the route of a document that describes the version. */
  document(entry: ServedDocument): Route<Op> {
    const { name, files } = entry
    const one = (template: string, document: ServedDocument, extra: Pick<Route<Op>, 'file'> = {}): Route<Op> =>
      route(
        { kind: 'document', template, resource: undefined, document, parameters: this.#adoption.parameters, ...extra },
        [...this.#at('document'), ...this.#at('any')],
      )
    return one(`/${name}`, entry, files === undefined ? {} : { file: one(`/${name}/${files.name}`, files) })
  }

  /**
   * Creates the route of an endpoint. Its `Allow` lists the methods in the order of their
   * declaration.
   */
  #endpoint(target: Target, template: string, entry: Endpoint<never>, resource: Mounted | undefined): Route<Op> {
    const endpoint = compileEndpoint(entry)
    const offered = [...endpoint.methods.keys()].flatMap((method) =>
      this.#at(target).filter((one) => one.method === method),
    )
    const what = `the endpoint "${entry.name}"`
    const lives = Object.entries(entry.methods).flatMap(([method, options]): MethodLife[] => {
      const life = resolveLife(`${method} of ${what}`, options ?? {})
      return life === undefined ? [] : [{ method, life }]
    })
    const life = mergedLife(resolveLife(what, entry), resource?.life)
    return route({ kind: target, template, resource, endpoint, ...this.#adopted(template), ...livesOf(life, lives) }, [
      ...offered,
      ...this.#at('any'),
    ])
  }

  #at(target: OperationDescription['target']): readonly Op[] {
    return this.#operations.filter((one) => one.target === target)
  }
}

/**
 * Creates a route. Every route with GET also has HEAD. GET and HEAD have the same operation but
 * different responses (VERB-8).
 */
function route<Op extends OperationDescription>(
  facts: Omit<Route<Op>, 'operations' | 'allow' | 'hasOwnRules'>,
  offered: readonly Op[],
): Route<Op> {
  const operations = new Map<string, Op>()
  for (const operation of offered) {
    operations.set(operation.method, operation)
    if (operation.method === 'GET') operations.set('HEAD', operation)
  }
  const hasOwnRules = facts.modes !== undefined || facts.parameters !== undefined
  return Object.freeze({ operations, allow: [...operations.keys()].join(', '), hasOwnRules, ...facts })
}
