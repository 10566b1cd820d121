/**
 * The route table of one version: every path with its methods, and the relations between resources.
 * The table is built at mount. Matching a path consists of map look-ups.
 */
import { Caches, cachesOf } from '../cache.js'
import type { Modes } from '../conventions/modes.js'
import type { ParameterNames } from '../conventions/parameters.js'
import { isDefensive } from '../definition/fixed.js'
import { type KeyValue, segmentOf } from '../definition/key.js'
import type { PageOptions, ResourceDefinition } from '../definition/resource.js'
import { nearMiss } from '../near-miss.js'
import { invalidOption } from '../options/check.js'
import { ConfigurationError } from '../problem.js'
import type { CustomRepresentation } from './custom-representation.js'
import type { ResourceText } from './describe-options.js'
import type { Endpoint } from './endpoint.js'
import type { CompiledEndpoint } from './endpoint-plan.js'
import type { Life } from './life.js'
import { checkKeyHolders, checkLineage, checkScope, nameOf, targetOf } from './link-targets.js'
import type { AnyAdapter, Mount } from './mount.js'
import { parentsFirst } from './mount-order.js'
import type { OperationDescription, Target } from './operation.js'
import { PartLives } from './part-lives.js'
import { compileResource, type ResourcePlan } from './resource-plan.js'
import { routesIn } from './route-list.js'
import { checkLives, lifeBelow, lifeOfMount, partsOf, type RouteLives } from './route-lives.js'
import { match } from './route-match.js'
import { RouteMaker, type TableSettings } from './route-methods.js'
import { place, placeDocument, type Top } from './route-places.js'
import type { ServedDocument } from './served-document.js'
import { type Exports, exportsOption } from './transfer-format.js'
import { type WireForms, wireForms } from './wire-form.js'

/**
 * An associated sub-collection: its parent, the members in which the child stores the parent's key,
 * and the segment below the parent. The members are `undefined` if the key is stored elsewhere,
 * such as in a join table.
 */
export interface Association {
  readonly parent: Mounted
  readonly by: readonly string[] | undefined
  readonly as: string
}

/** One path template with its methods. `Op` is the type of its operations. */
export interface Route<Op extends OperationDescription = OperationDescription> {
  readonly kind: Target
  /** The path below the version, with ids as `{name}`. Hooks and metrics use it. */
  readonly template: string
  /** The operations by method. */
  readonly operations: ReadonlyMap<string, Op>
  /** The value of `Allow`. */
  readonly allow: string
  /**
   * The resource at this path. For an endpoint below an item, the resource of this item.
   * `undefined` for other endpoints and for documents.
   */
  readonly resource: Mounted | undefined
  /** The boolean member that is set and cleared, if this is the path of a flag. */
  readonly flag?: string
  readonly association?: Association
  readonly endpoint?: CompiledEndpoint
  /** The retirements and deprecations of the path or of its methods (VER-2, VER-3). */
  readonly lives?: RouteLives
  /** The OpenAPI document or docs page at this path, if there is one. */
  readonly document?: ServedDocument
  /** The route of the files directly below this path, if it is the path of the docs pages. */
  readonly file?: Route<Op>
  /**
   * The clauses of the conventions that are not fully enforced at this path. `undefined` if all
   * clauses are fully enforced.
   */
  readonly modes?: Modes | undefined
  /** Aliases of query parameters in this version, and parameters that are ignored. */
  readonly parameters?: ParameterNames | undefined
  /** Whether queries may deviate from the conventions, because of `modes` or `parameters`. */
  readonly hasOwnRules: boolean
}

/** A mounted resource. */
export interface Mounted<Op extends OperationDescription = OperationDescription> {
  readonly plan: ResourcePlan
  /**
   * The names and JSON types in the resource's representations, including link expansions, for
   * formats such as XML.
   */
  readonly wire: WireForms
  readonly adapter: AnyAdapter
  /** True if a patched record may share unchanged values with the stored record. */
  readonly patchesShare: boolean
  /** Media types of the resource in addition to JSON and XML. */
  readonly representations: readonly CustomRepresentation[]
  /** The formats and the limits of the resource's exports. */
  readonly exports: Exports | undefined
  /** Whether the `Idempotency-Key` of a POST is ignored, honoured or required (VERB-12). */
  readonly idempotencyKey: 'ignored' | 'honoured' | 'required'
  /** The text for OpenAPI documents. */
  readonly text: ResourceText
  /**
   * The life cycle of the resource's collection and of everything below it (VER-2). `undefined` if
   * none is declared.
   */
  readonly life: Life | undefined
  /**
   * The parent, and the members that hold the parent's key. `undefined` for a resource that is not
   * contained in a parent.
   */
  readonly parent: { readonly mounted: Mounted; readonly by: readonly string[] } | undefined
  /**
   * The path of the collection, such as `/collection` or `/area/collection`. This path is relative
   * to the parent's item, or to the version if there is no parent.
   */
  readonly path: string
  readonly collection: Route<Op>
  readonly item: Route<Op>
  readonly below: ReadonlyMap<string, Below<Op>>
  /** The targets of links, by link name. */
  readonly targets: ReadonlyMap<string, Mounted<Op>>
}

type Below<Op extends OperationDescription> =
  | { readonly kind: 'contained'; readonly mounted: Mounted<Op> }
  | { readonly kind: 'attached'; readonly child: Mounted<Op>; readonly members: Route<Op>; readonly member: Route<Op> }
  /** A flag or an endpoint. */
  | { readonly kind: 'leaf'; readonly route: Route<Op> }

export interface RouteTable<Op extends OperationDescription = OperationDescription> {
  /**
   * Returns the route of these segments and the keys in them, outermost first. Returns `undefined`
   * if there is no such route.
   */
  match(segments: readonly string[]): Match<Op> | undefined
  /**
   * Like `match`, but finds every path that a link may contain. These include the paths of related
   * resources, which are served elsewhere.
   */
  locate(segments: readonly string[]): Match<Op> | undefined
  readonly resources: readonly Mounted<Op>[]
  /** Every route that `match` may return, parents first. */
  readonly routes: readonly Route<Op>[]
  /** The retired and deprecated parts, by path. `undefined` if there are none. */
  readonly parts: PartLives | undefined
}

export interface Match<Op extends OperationDescription = OperationDescription> {
  readonly route: Route<Op>
  readonly keys: readonly KeyValue[]
}

interface Building<Op extends OperationDescription> extends Mounted<Op> {
  readonly mount: Mount
  readonly below: Map<string, Below<Op>>
  readonly targets: Map<string, Mounted<Op>>
}

/**
 * Compiles the route table of one version from the available operations. The `related` resources
 * are link targets, or sub-collections of the resources in `entries`. `match` does not find their
 * top-level paths, because their own routers serve these paths.
 */
export function compileRoutes<Op extends OperationDescription>(
  operations: readonly Op[],
  entries: readonly (Mount | Endpoint | ServedDocument)[],
  related: readonly Mount[] = [],
  { page = {}, caches = new Caches(), ...adoption }: TableSettings = {},
): RouteTable<Op> {
  const make = new RouteMaker(operations, adoption)
  const table = new TableBuilder(make, related, page, caches)
  const mounts = [...entries.filter((entry) => entry.kind === 'resource'), ...related]
  for (const entry of parentsFirst(mounts)) table.add(entry)
  table.join()
  for (const entry of entries)
    if (entry.kind === 'endpoint') place(table.top, entry.area, entry.name, make.endpoint(entry))
  for (const entry of entries) if (entry.kind === 'document') placeDocument(table.top, make.document(entry))
  const { top, everywhere, built } = table
  const routes = routesIn(top)
  checkLives(operations, routes, [...built.values()])
  return {
    match: (segments) => match(top, segments),
    locate: (segments) => match(everywhere, segments),
    resources: [...built.values()],
    routes,
    parts: PartLives.of(partsOf(routes)),
  }
}

/** A route table under construction. */
class TableBuilder<Op extends OperationDescription> {
  readonly top: Top<Op> = new Map()
  readonly everywhere: Top<Op> = new Map()
  readonly built = new Map<string, Building<Op>>()
  readonly #make: RouteMaker<Op>
  readonly #related: ReadonlySet<Mount>
  readonly #page: PageOptions
  readonly #caches: Caches

  constructor(make: RouteMaker<Op>, related: readonly Mount[], page: PageOptions, caches: Caches) {
    this.#make = make
    this.#related = new Set(related)
    this.#page = page
    this.#caches = caches
  }

  /** Adds a resource. Its parent, if it has one, must have been added before. */
  add(entry: Mount): void {
    const { definition, adapter, options } = entry
    if (this.built.has(definition.collection)) {
      throw new ConfigurationError(
        'path-taken',
        `"${definition.collection}" is mounted twice in one version. Mount it once.`,
      )
    }
    const parent = this.#parentOf(entry)
    const segments = options.area === undefined ? [definition.collection] : [options.area, definition.collection]
    // In paths, the characters of a name that are not ASCII are percent-encoded. Templates keep the
    // original names.
    const path = segments.map((segment) => `/${segmentOf(segment)}`).join('')
    const template = `${parent === undefined ? '' : parent.mounted.item.template}/${segments.join('/')}`
    const itemTemplate = `${template}/${idTemplate(definition)}`
    // A resource and its routes refer to each other, so the resource is created first and completed
    // afterwards.
    const plan = compileResource(definition, this.#page, this.#caches)
    this.#caches.include(cachesOf(adapter))
    const targets = new Map<string, Mounted<Op>>()
    /** True if no rule or guard reads or changes a patched record before the adapter gets it. */
    const isUntouched = !plan.guard.any && definition.rules === undefined
    const mounted = {
      mount: entry,
      plan,
      wire: wireForms(plan, (link) => (targets.get(link) as Mounted).wire.item.form),
      adapter,
      // Evaluated on each access, because a method of the adapter may be replaced after the mount.
      get patchesShare() {
        return isUntouched && isDefensive(adapter.replace)
      },
      representations: options.representations ?? [],
      exports: exportsOption(`the mount of "${definition.collection}"`, options.exports, options.representations ?? []),
      idempotencyKey: adapter.recall === undefined ? 'ignored' : (options.idempotencyKey ?? 'honoured'),
      text: options.describe ?? {},
      life: lifeOfMount(entry, parent?.mounted),
      parent,
      path,
      below: new Map(),
      targets,
    } as unknown as Building<Op>
    Object.assign(mounted, {
      collection: this.#make.resource('collection', template, entry, { resource: mounted }),
      item: this.#make.resource('item', itemTemplate, entry, { resource: mounted }),
    })
    for (const [segment, flag] of definition.flags) {
      const extra = { resource: mounted, flag, life: lifeBelow(entry, mounted, segment) }
      below(mounted, segment, {
        kind: 'leaf',
        route: this.#make.resource('flag', `${itemTemplate}/${segment}`, entry, extra),
      })
    }
    for (const one of options.endpoints ?? [])
      below(mounted, one.name, { kind: 'leaf', route: this.#make.endpointBelow(one, mounted, itemTemplate) })
    this.built.set(definition.collection, mounted)
    if (parent !== undefined) below(parent.mounted, definition.collection, { kind: 'contained', mounted })
    else {
      place(this.everywhere, options.area, definition.collection, mounted)
      if (!this.#related.has(entry)) place(this.top, options.area, definition.collection, mounted)
    }
  }

  /**
   * Connects the resources. Called after all of them have been added. Associations come first,
   * because links may lead to their sub-collections.
   */
  join(): void {
    for (const mounted of this.built.values()) this.#attach(mounted)
    for (const mounted of this.built.values()) {
      for (const link of mounted.plan.links.values()) {
        const target = targetOf(mounted, link, this.built)
        if (target !== undefined) mounted.targets.set(link.name, target)
      }
    }
    // If a format can't represent the records of a resource, the service must fail at startup, and
    // not at the first request.
    for (const mounted of this.built.values())
      for (const format of mounted.exports?.formats ?? []) format.writer(mounted, [])
  }

  #parentOf({ definition, options }: Mount): { mounted: Building<Op>; by: readonly string[] } | undefined {
    if (definition.parent === undefined) return undefined
    const mounted = this.built.get(nameOf(definition.parent.of)) as Building<Op>
    const { by } = definition.parent
    if (options.area !== undefined) {
      throw invalidOption(
        `"${definition.collection}" is contained in "${mounted.plan.collection}", so its path is below ` +
          `the items of "${mounted.plan.collection}". Leave the area "${options.area}" out.`,
      )
    }
    checkKeyHolders(`The parent of "${definition.collection}"`, definition, by, mounted.plan)
    return { mounted, by }
  }

  #unmountedAssociation({ collection }: ResourceDefinition, name: string): ConfigurationError {
    const near = nearMiss(name, [...this.built.keys()])
    const fix =
      near === undefined
        ? `Mount "${name}" in this version. If only some versions have "${name}", give its definition instead of its ` +
          `name in "attachedTo" of "${collection}".`
        : `Did you mean "${near}"?`
    return new ConfigurationError(
      'unmounted-parent',
      `"${collection}" is attached to "${name}", which is not mounted in the same version. ${fix}`,
    )
  }

  #attach(child: Building<Op>): void {
    const { definition } = child.plan
    for (const { of, by, as } of definition.attachedTo) {
      const parent = this.built.get(nameOf(of))
      if (parent === undefined && typeof of === 'string') throw this.#unmountedAssociation(definition, of)
      // The same child may be mounted in several versions, and this parent might not be mounted in
      // some of these versions.
      if (parent === undefined) continue
      const what = `The association of "${definition.collection}" with "${parent.plan.collection}"`
      if (by !== undefined) checkKeyHolders(what, definition, by, parent.plan)
      checkLineage(what, child)
      checkScope(what, child)
      const template = `${parent.item.template}/${as}`
      // A retired child is not served below its parents either.
      const extra = {
        resource: child,
        association: { parent, by, as },
        life: lifeBelow(parent.mount, parent, as, child),
      }
      const member = this.#make.resource('member', `${template}/${idTemplate(definition)}`, child.mount, extra)
      below(parent, as, {
        kind: 'attached',
        child,
        members: this.#make.resource('members', template, child.mount, extra),
        member,
      })
    }
  }
}

const idTemplate = ({ key }: ResourceDefinition): string => `{${key.members.join('+')}}`

function below<Op extends OperationDescription>(parent: Building<Op>, segment: string, entry: Below<Op>): void {
  if (parent.below.has(segment))
    throw new ConfigurationError(
      'path-taken',
      `Two entries have the path "${parent.item.template}/${segment}". Rename one.`,
    )
  parent.below.set(segment, entry)
}
