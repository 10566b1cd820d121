/**
 * Finds the retired and deprecated parts of a version by path. The router does this before it
 * authenticates a request (VER-2).
 */
import { isOver, type Life, mergedLife } from './life.js'

/** A part of a version. */
export interface Part {
  /** The path below the version, with ids as `{name}`, such as `/contratos/{id}/activo`. */
  readonly template: string
  /** The life cycle of the path and everything below it. */
  readonly life: Life | undefined
  /** The life cycles of single methods of the path, each combined with `life`. */
  readonly methods?: ReadonlyMap<string, Life>
  /**
   * Whether the path is matched case-insensitively, as Express matches hand-written routes.
   * Default: the path is matched exactly (PATH-11).
   */
  readonly anyCase?: boolean
  /** Whether the path has methods that are not in `methods`. OPTIONS and HEAD do not count. */
  readonly hasOthers: boolean
}

interface Node {
  readonly literals: Map<string, Node>
  /**
   * The child nodes for paths that are matched case-insensitively. The key is the segment in lower
   * case.
   */
  readonly folded: Map<string, Node>
  wild: Node | undefined
  part: Part | undefined
  /** The life cycle of the path and everything below it. */
  life: Life | undefined
}

/** The deprecation or retirement of a path. */
export interface Found {
  readonly life: Life
  /**
   * The template of the part. With the template, `namesIn` finds the ids in the path of a request.
   */
  readonly template: string
}

const newNode = (): Node => ({
  literals: new Map(),
  folded: new Map(),
  wild: undefined,
  part: undefined,
  life: undefined,
})

/** The life cycles of the parts of one version. */
export class PartLives {
  readonly #top = newNode()
  readonly #parts: readonly Part[]
  /** The times of all retirements. */
  readonly #ends: readonly number[]

  /**
   * Returns the life cycles of these parts. Returns `undefined` if no part is deprecated or
   * retired, as in most versions. Requests to such a version need no look-up.
   */
  static of(parts: readonly Part[]): PartLives | undefined {
    const found = parts.filter(({ life, methods }) => life !== undefined || (methods !== undefined && methods.size > 0))
    return found.length === 0 ? undefined : new PartLives(found)
  }

  private constructor(parts: readonly Part[]) {
    this.#parts = parts
    for (const part of parts) this.#place(part)
    const lives = parts.flatMap(({ life, methods }) => [life, ...(methods?.values() ?? [])])
    this.#ends = lives.flatMap((life) => (life?.retired === undefined ? [] : [life.retired]))
  }

  #place(part: Part): void {
    let node = this.#top
    for (const segment of part.template.split('/').slice(1)) {
      if (isPlaceholder(segment)) {
        node.wild ??= newNode()
        node = node.wild
      } else {
        const next = node.literals.get(segment) ?? newNode()
        node.literals.set(segment, next)
        if (part.anyCase === true) node.folded.set(segment.toLowerCase(), next)
        node = next
      }
    }
    node.part = node.part === undefined ? part : joined(node.part, part)
    node.life = mergedLife(part.life, node.life)
  }

  /**
   * Whether the response is 410, because the method, its path, or a part above the path has
   * retired. `path` is the raw path below the version.
   */
  isGone(method: string, path: string, now: number): boolean {
    const { node, through } = this.#walk(path)
    if (through.some((one) => isOver(one.life, now))) return true
    const part = node?.part
    if (part?.methods === undefined) return false
    return isOver(part.methods.get(methodOfLife(method)), now) || isWhollyOver(part, now)
  }

  /**
   * Returns the deprecation or retirement that applies to a method and path, or `undefined` if
   * there is none.
   */
  at(method: string, path: string): Found | undefined {
    const { node, through } = this.#walk(path)
    const above = through
      .map((one) => one.life)
      .reduceRight<Life | undefined>((life, outer) => mergedLife(life, outer), undefined)
    const life = mergedLife(node?.part?.methods?.get(methodOfLife(method)), above)
    if (life === undefined) return undefined
    const named = through.findLast(({ part }) => part !== undefined)
    return { life, template: named?.part?.template ?? '' }
  }

  /** The parts that have a life cycle. */
  get all(): readonly Part[] {
    return this.#parts
  }

  /**
   * The number of parts and methods that have retired. When this number changes, the cached OpenAPI
   * documents are outdated.
   */
  retiredCount(now: number): number {
    return this.#ends.filter((end) => end <= now).length
  }

  /**
   * Follows a path through the tree. `through` contains all nodes on the path, without the top
   * node. `node` is the node of the whole path, if there is one.
   */
  #walk(path: string): { readonly node: Node | undefined; readonly through: readonly Node[] } {
    const through: Node[] = []
    let node: Node | undefined = this.#top
    for (const raw of segmentsOf(path)) {
      const segment = decoded(raw)
      // An id is never empty (PATH-11).
      node = (segment === undefined ? undefined : literalOf(node, segment)) ?? (raw === '' ? undefined : node.wild)
      if (node === undefined) return { node, through }
      through.push(node)
    }
    return { node, through }
  }
}

const literalOf = ({ literals, folded }: Node, segment: string): Node | undefined =>
  literals.get(segment) ?? (folded.size === 0 ? undefined : folded.get(segment.toLowerCase()))

/**
 * Combines two parts with the same path, for example a mounted part and a part that is declared
 * only for methods that no code serves any more.
 */
const joined = (one: Part, other: Part): Part => ({
  template: one.template,
  life: mergedLife(one.life, other.life),
  methods: new Map([...(one.methods ?? []), ...(other.methods ?? [])]),
  hasOthers: one.hasOthers && other.hasOthers,
})

/** Whether every method of a path has retired. If so, the response to OPTIONS is 410, too. */
function isWhollyOver({ methods, hasOthers }: Part, now: number): boolean {
  if (hasOthers || methods === undefined || methods.size === 0) return false
  return [...methods.values()].every((life) => isOver(life, now))
}

/** The method whose operation serves the request. The operation of GET also serves HEAD. */
const methodOfLife = (method: string): string => (method === 'HEAD' ? 'GET' : method)

const isPlaceholder = (segment: string): boolean => segment.startsWith('{') && segment.endsWith('}')

/**
 * Splits a path into segments, like `decodeSegments` but without decoding. A path that can't be
 * decoded may still be below a retired part.
 */
function segmentsOf(path: string): readonly string[] {
  const start = path.startsWith('/') ? 1 : 0
  if (start === path.length) return []
  return path.slice(start, path.endsWith('/') ? -1 : undefined).split('/')
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** Returns the raw value in the path for each `{name}` of its template. */
export function namesIn(template: string, path: string): ReadonlyMap<string, string> {
  const segments = segmentsOf(path)
  const names = template.split('/').slice(1)
  return new Map(names.flatMap((name, at) => (isPlaceholder(name) ? [[name, segments[at] ?? '']] : [])))
}

/**
 * Returns the URL of a part's replacement. `base` is the URL of the version, without a trailing
 * slash.
 */
export function useAddress(use: string, base: string, names: ReadonlyMap<string, string>): string {
  if (/^[a-z][a-z0-9+.-]*:/i.test(use)) return use
  const filled = use.replace(/\{[^{}]*\}/g, (name) => names.get(name) ?? name)
  return `${base}${filled.startsWith('/') ? '' : '/'}${filled}`
}
