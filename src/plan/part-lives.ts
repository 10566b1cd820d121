/** Which parts of a version have retired or are deprecated, by their paths: found before a request is authenticated (VER-2). */
import { isOver, type Life, mergedLife } from './life.js'

/** A part of a version. */
export interface Part {
  /** The path below the version, ids as `{name}`, such as `/contratos/{id}/activo`. */
  readonly template: string
  /** Of the path and everything below. */
  readonly life: Life | undefined
  /** Of single methods of the path, those of `life` included. */
  readonly methods?: ReadonlyMap<string, Life>
  /** The path is served in any case, as Express serves hand-written routes. Default: as it stands (PATH-11). */
  readonly anyCase?: boolean
  /** Whether the path has methods beside those in `methods`. OPTIONS does not count: it tells of the others. */
  readonly hasOthers: boolean
}

interface Node {
  readonly literals: Map<string, Node>
  /** Those of parts that are served in any case, in lower case. */
  readonly folded: Map<string, Node>
  wild: Node | undefined
  part: Part | undefined
  /** Of the path and everything below. */
  life: Life | undefined
}

/** The deprecation or retirement at a path. */
export interface Found {
  readonly life: Life
  /** The template of the part, whose ids are those of the path. */
  readonly template: string
}

const newNode = (): Node => ({ literals: new Map(), folded: new Map(), wild: undefined, part: undefined, life: undefined })

/** The lives of the parts of one version. */
export class PartLives {
  readonly #top = newNode()
  readonly #parts: readonly Part[]
  /** Every time from which on something is 410. */
  readonly #ends: readonly number[]

  /** `undefined` if no part is deprecated or retired, as in most versions, which then have no overhead. */
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

  /** Whether a request is 410: its method, its path, or something above has retired. `path`: below the version, as it was sent. */
  isGone(method: string, path: string, now: number): boolean {
    const { node, through } = this.#walk(path)
    if (through.some((one) => isOver(one.life, now))) return true
    const part = node?.part
    if (part?.methods === undefined) return false
    return isOver(part.methods.get(getterOf(method)), now) || isWhollyOver(part, now)
  }

  /** The deprecation or retirement that applies to the path and method of a request; `undefined` if there is none. */
  at(method: string, path: string): Found | undefined {
    const { node, through } = this.#walk(path)
    const above = through.map((one) => one.life).reduceRight<Life | undefined>((life, outer) => mergedLife(life, outer), undefined)
    const life = mergedLife(node?.part?.methods?.get(getterOf(method)), above)
    if (life === undefined) return undefined
    const named = through.findLast(({ part }) => part !== undefined)
    return { life, template: named?.part?.template ?? '' }
  }

  /** The parts from which it was made. */
  get all(): readonly Part[] {
    return this.#parts
  }

  /** How many parts have retired: documents are the same as long as this is. */
  ended(now: number): number {
    return this.#ends.filter((end) => end <= now).length
  }

  /** The nodes from the top to the path, and that of the path itself where there is one. */
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

/** Two parts of one path: what is mounted there, and methods that have no code any more. */
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

/** As `decodeSegments` has them, but still encoded: what can't be decoded may be below something that has retired. */
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

/** The values in a path for each `{name}` of its template, as sent. */
export function namesIn(template: string, path: string): ReadonlyMap<string, string> {
  const segments = segmentsOf(path)
  const names = template.split('/').slice(1)
  return new Map(names.flatMap((name, at) => (isPlaceholder(name) ? [[name, segments[at] ?? '']] : [])))
}

/** The address of the replacement of a part. `base`: the address of the version, without a trailing slash. */
export function useAddress(use: string, base: string, names: ReadonlyMap<string, string>): string {
  if (/^[a-z][a-z0-9+.-]*:/i.test(use)) return use
  const filled = use.replace(/\{[^{}]*\}/g, (name) => names.get(name) ?? name)
  return `${base}${filled.startsWith('/') ? '' : '/'}${filled}`
}
