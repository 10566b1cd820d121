/**
 * The life cycles (deprecation, retirement) of routes. Mounts, endpoints and single methods declare
 * life cycles. Each life cycle is combined with the life cycles of the enclosing parts (VER-2,
 * VER-3).
 */
import { didYouMean, nearMiss } from '../near-miss.js'
import { invalidOption } from '../options/check.js'
import { ConfigurationError } from '../problem.js'
import { isOver, type Life, mergedLife, resolveLife } from './life.js'
import type { Mount } from './mount.js'
import type { OperationDescription } from './operation.js'
import type { Part } from './part-lives.js'
import type { Mounted, Route } from './routes.js'

/** The life cycles at one path. */
export interface RouteLives {
  /** The life cycle of the path and everything below it. */
  readonly path: Life | undefined
  /**
   * The life cycles of single methods, each combined with the life cycle of the path. HEAD has the
   * life cycle of GET.
   */
  readonly methods: ReadonlyMap<string, Life>
}

/** The life cycle that is declared for a method. */
export interface MethodLife {
  readonly method: string
  readonly life: Life
}

/**
 * Returns an object with the member `lives` of a route. The object is empty if no life cycle is
 * declared, as for most routes.
 */
export function livesOf(path: Life | undefined, declared: readonly MethodLife[]): { readonly lives?: RouteLives } {
  if (path === undefined && declared.length === 0) return {}
  const methods = new Map(declared.flatMap(({ method, life }) => pairOf(method, mergedLife(life, path))))
  return { lives: Object.freeze({ path, methods }) }
}

const pairOf = (method: string, life: Life | undefined): [string, Life][] =>
  life === undefined ? [] : [[method, life]]

/**
 * The life cycle of a method at a path. `undefined` if neither the method nor the path has a life
 * cycle.
 */
export const lifeOf = ({ lives }: Pick<Route, 'lives'>, method: string): Life | undefined =>
  lives === undefined ? undefined : (lives.methods.get(method === 'HEAD' ? 'GET' : method) ?? lives.path)

/** The value of `Allow` at the time `now`. It contains no retired methods. */
export function allowAt(route: Route, now: number): string {
  if (route.lives === undefined) return route.allow
  return livingMethods(route, now).join(', ')
}

/** The methods of a path that have not retired, in the order of `Allow`. */
export const livingMethods = (route: Route, now: number): readonly string[] =>
  [...route.operations.keys()].filter((method) => !isOver(lifeOf(route, method), now))

/**
 * The life cycle of a mounted resource: its own life cycle, combined with the life cycle of its
 * parent.
 */
export const lifeOfMount = ({ definition, options }: Mount, parent: Mounted | undefined): Life | undefined =>
  mergedLife(resolveLife(`the mount of "${definition.collection}"`, options), parent?.life)

/**
 * The life cycle of a sub-resource of an item (a flag or an associated sub-collection), combined
 * with the life cycles of `parent` and of `child`. `child` is the resource whose items the
 * sub-collection lists.
 */
export function lifeBelow(
  { definition, options }: Mount,
  parent: Mounted,
  segment: string,
  child?: Mounted,
): Life | undefined {
  const own = resolveLife(`"${segment}" below the items of "${definition.collection}"`, options.below?.[segment] ?? {})
  return mergedLife(mergedLife(own, parent.life), child?.life)
}

/** The parts of a version that have a life cycle, for `PartLives`. */
export const partsOf = (routes: readonly Route[]): readonly Part[] =>
  routes.flatMap(({ template, lives, operations }) => {
    if (lives === undefined) return []
    const { path, methods } = lives
    const others = [...operations.keys()].filter(
      (method) => method !== 'OPTIONS' && method !== 'HEAD' && !methods.has(method),
    )
    return [{ template, life: path, methods, hasOthers: others.length > 0 }]
  })

/** A mounted resource, together with its mount. */
type Made = Mounted & { readonly mount: Mount }

/**
 * Throws `ConfigurationError` for a life cycle of a part that does not exist, and for a replacement
 * that is neither an absolute URL nor a path in the version. Also throws if the target of a link
 * retires before the resource that has the link, or if the replacement of a part retires before the
 * part. Otherwise responses would contain links that lead to a 410.
 */
export function checkLives(
  operations: readonly OperationDescription[],
  routes: readonly Route[],
  built: readonly Made[],
): void {
  for (const mounted of built) {
    checkLinks(mounted)
    checkOperations(mounted, operations, routes)
    checkBelow(mounted)
  }
  for (const route of routes) {
    if (route.lives === undefined) continue
    for (const life of [route.lives.path, ...route.lives.methods.values()])
      if (life?.use !== undefined) checkUse(route, life, routes)
  }
}

/**
 * Throws if the target of a link to a sub-collection or to a resource retires before the resource
 * that has the link.
 */
function checkLinks({ plan, targets, below, life }: Mounted): void {
  for (const link of plan.links.values()) {
    const found = link.kind === 'sub' ? below.get(link.sub) : undefined
    const sub =
      found?.kind === 'contained'
        ? found.mounted.life
        : found?.kind === 'attached'
          ? found.members.lives?.path
          : undefined
    const target = link.kind === 'to' ? targets.get(link.name)?.life : sub
    if (target?.retired === undefined || (life?.retired ?? Number.POSITIVE_INFINITY) <= target.retired) continue
    const where = link.kind === 'sub' ? link.sub : (targets.get(link.name)?.plan.collection ?? '')
    throw new ConfigurationError(
      'unresolved-link',
      `The link "${link.name}" of "${plan.collection}" leads to "${where}", which ` +
        `retires${whenText(target.retired)}: clients that follow it would get 410. ` +
        `Let "${plan.collection}" retire at the same time, leave the link out in a new version, or keep "${where}".`,
    )
  }
}

const whenText = (time: number): string =>
  Number.isFinite(time) ? ` on ${new Date(time).toISOString().slice(0, 10)}` : ''

const targetsOfResources: ReadonlySet<string> = new Set(['collection', 'item', 'flag', 'members', 'member'])

function checkOperations(
  { plan, mount: { options } }: Made,
  operations: readonly OperationDescription[],
  routes: readonly Route[],
): void {
  if (options.operations === undefined) return
  const { collection } = plan
  const own = routes.filter((route) => route.resource?.plan === plan && route.endpoint === undefined)
  // A resource that is only a link target has no routes here and serves no operations.
  if (own.length === 0) return
  const kinds = new Set<string>(own.map(({ kind }) => kind))
  const known = operations
    .filter(({ target }) => targetsOfResources.has(target) && kinds.has(target))
    .map(({ name }) => name)
  const offered = new Set(own.flatMap((route) => [...route.operations.values()].map(({ name }) => name)))
  for (const [name, life] of Object.entries(options.operations)) {
    if (!known.includes(name)) {
      throw new ConfigurationError(
        'unknown-member',
        `The option "operations" of the mount of "${collection}" has "${name}", which is not one of its operations. ` +
          didYouMean(nearMiss(name, known), known),
      )
    }
    if (!offered.has(name) && life.retired === undefined)
      throw invalidOption(
        `The operation "${name}" of the mount of "${collection}" is deprecated but not served. ` +
          'Leave it out of "operations", or retire it: { retired: true }.',
      )
  }
}

function checkBelow({ plan, below, mount: { options } }: Made): void {
  for (const segment of Object.keys(options.below ?? {})) {
    const found = below.get(segment)
    if (found?.kind === 'attached' || (found?.kind === 'leaf' && found.route.flag !== undefined)) continue
    const what = `The option "below" of the mount of "${plan.collection}" has "${segment}"`
    if (found !== undefined)
      throw invalidOption(
        `${what}, which is ${found.kind === 'leaf' ? 'an endpoint' : 'a resource with its own mount'}. ` +
          `Give "deprecated" or "retired" to ${found.kind === 'leaf' ? 'endpoint()' : 'that mount'} instead.`,
      )
    const known = [...below].flatMap(([name, one]) =>
      one.kind === 'contained' || (one.kind === 'leaf' && one.route.flag === undefined) ? [] : [name],
    )
    throw new ConfigurationError(
      'unknown-member',
      `${what}, which is neither a flag nor an associated sub-collection. ` +
        didYouMean(nearMiss(segment, known), known),
    )
  }
}

/**
 * Checks the replacement of a part. The replacement must be an absolute URL or a path in the
 * version. Each id in this path, such as `{id}`, must also be in the path of the part. The path
 * must not retire before the part.
 */
function checkUse(
  { template }: Route,
  { use = '', retired = Number.POSITIVE_INFINITY }: Life,
  routes: readonly Route[],
): void {
  if (/^[a-z][a-z0-9+.-]*:/i.test(use)) return
  const path = use.startsWith('/') ? use : `/${use}`
  const what = `The replacement "${use}" of "${template}"`
  const found = routes.find((route) => shapeOf(route.template) === shapeOf(path))
  if (found === undefined) {
    const near = nearMiss(
      path,
      routes.map((route) => route.template),
    )
    throw new ConfigurationError(
      'unresolved-link',
      `${what} is not a path in this version. ` +
        `${near === undefined ? 'Give a path below the version, or an absolute URL.' : `Did you mean "${near}"?`}`,
    )
  }
  const names = new Set(template.match(/\{[^{}]*\}/g))
  const strange = (path.match(/\{[^{}]*\}/g) ?? []).find((name) => !names.has(name))
  if (strange !== undefined)
    throw invalidOption(`${what} has ${strange}, which "${template}" does not have. Use the names in "${template}".`)
  const end = found.lives?.path?.retired
  if (end !== undefined && end < retired)
    throw invalidOption(
      `${what} retires${whenText(end)} before "${template}" does. Give a replacement that does not retire earlier.`,
    )
}

/**
 * Removes the names of the ids from a template, so that templates of the same path become equal.
 * For example, `/notas/{id}` becomes `/notas/{}`.
 */
export const shapeOf = (template: string): string => template.replace(/\{[^{}]*\}/g, '{}')
