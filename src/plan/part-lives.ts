/**
 * Finds retired and deprecated parts of a version by path, before a request is authenticated
 * (VER-2).
 */
import { isOver, type Life, mergedLife } from './life.js'

/** A part of a version. */
export interface Part {
  /** The path below the version, ids as `{name}`, such as `/contratos/{id}/activo`. */
  readonly template: string
  /** The life cycle of the path and everything below. */
  readonly life: Life | undefined
  /** The life cycles of single methods of the path, combined with `life`. */
  readonly methods?: ReadonlyMap<string, Life>
  /**
   * The path is matched case-insensitively, as Express matches hand-written routes. Default:
   * exactly (PATH-11).
   */
  readonly anyCase?: boolean
  /** Whether the path has methods other than those in `methods`. OPTIONS does not count. */
  readonly hasOthers: boolean
}

interface Node {
  readonly literals: Map<string, Node>
  /** Segments of parts that are matched case-insensitively, in lower case. */
  readonly folded: Map<string, Node>
  wild: Node | undefined
  part: Part | undefined
  /** The life cycle of the path and everything below. */
  life: Life | undefined
}

/** The deprecation or retirement of a path. */
export interface Found {
  readonly life: Life
  /** The template of the part. Its ids can be filled from the path. */
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
   * `undefined` if no part is deprecated or retired, as in most versions, which then have no
   * overhead.
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
   * Whether a request is 410: its method, its path, or something above has retired. `path`: the raw
   * path below the version.
   */
  isGone(method: string, path: string, now: number): boolean {
    const { node, through } = this.#walk(path)
    if (through.some((one) => isOver(one.life, now))) return true
    const part = node?.part
    if (part?.methods === undefined) return false
    return isOver(part.methods.get(getterOf(method)), now) || isWhollyOver(part, now)
  }

  /**
   * The deprecation or retirement that applies to a method and path; `undefined` if there is none.
   */
  at(method: string, path: string): Found | undefined {
    const { node, through } = this.#walk(path)
    const above = through
      .map((one) => one.life)
      .reduceRight<Life | undefined>((life, outer) => mergedLife(life, outer), undefined)
    const life = mergedLife(node?.part?.methods?.get(getterOf(method)), above)
    if (life === undefined) return undefined
    const named = through.findLast(({ part }) => part !== undefined)
    return { life, template: named?.part?.template ?? '' }
  }

  /** The parts passed to `of`. */
  get all(): readonly Part[] {
    return this.#parts
  }

  /** The number of retired parts. Documents stay the same until it changes. */
  ended(now: number): number {
    return this.#ends.filter((end) => end <= now).length
  }

  /** The nodes from the top to the path, and the node of the path itself if it exists. */
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

/** Joins two parts of one path: a mounted one, and methods that no code serves any more. */
const joined = (one: Part, other: Part): Part => ({
  template: one.template,
  life: mergedLife(one.life, other.life),
  methods: new Map([...(one.methods ?? []), ...(other.methods ?? [])]),
  hasOthers: one.hasOthers && other.hasOthers,
})

/** Whether every method of a path has retired: then OPTIONS is 410 too. */
function isWhollyOver({ methods, hasOthers }: Part, now: number): boolean {
  if (hasOthers || methods === undefined || methods.size === 0) return false
  return [...methods.values()].every((life) => isOver(life, now))
}

/** HEAD is served by the operation of GET. */
const getterOf = (method: string): string => (method === 'HEAD' ? 'GET' : method)

const isPlaceholder = (segment: string): boolean => segment.startsWith('{') && segment.endsWith('}')

/**
 * Like `decodeSegments`, but without decoding: an undecodable path may still be below a retired
 * part.
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

/** The raw value in a path for each `{name}` of its template. */
export function namesIn(template: string, path: string): ReadonlyMap<string, string> {
  const segments = segmentsOf(path)
  const names = template.split('/').slice(1)
  return new Map(names.flatMap((name, at) => (isPlaceholder(name) ? [[name, segments[at] ?? '']] : [])))
}

/**
 * The address of a part's replacement. `base`: the address of the version, without a trailing
 * slash.
 */
export function useAddress(use: string, base: string, names: ReadonlyMap<string, string>): string {
  if (/^[a-z][a-z0-9+.-]*:/i.test(use)) return use
  const filled = use.replace(/\{[^{}]*\}/g, (name) => names.get(name) ?? name)
  return `${base}${filled.startsWith('/') ? '' : '/'}${filled}`
}
