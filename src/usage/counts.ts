/**
 * The counts of one process. Their number is bounded, because requests determine the names of
 * clients and the details, such as the names of unknown parameters. If there are too many clients,
 * those with the lowest counts become `(other)`. If there are too many details, new details become
 * `(other)`.
 */

/**
 * `would_break`: responses that violate a clause or would change if the clause were enforced.
 * `calls`: completed calls.
 */
export type CountKind = 'would_break' | 'calls'

/** The labels of a count. Strings are truncated to their maximum length. */
export interface Labels {
  readonly kind: CountKind
  /** The clause for `would_break`, or the version for `calls`. */
  readonly subject: string
  readonly method: string
  readonly route: string
  /**
   * The name of the part of the request or response that violates the clause, such as a parameter;
   * empty if there is none.
   */
  readonly detail: string
  /** The client's name; empty if clients are not distinguished. */
  readonly client: string
}

/** The name that replaces all names beyond a maximum number. */
export const otherName = '(other)'

/** The name for clients without a name. */
export const unnamedClient = '(unnamed)'

/**
 * The maximum number of different values of each label. The maximum for details applies to each
 * subject separately. The number of clients has a configurable limit: `maxClients`, a parameter of
 * the constructor.
 */
const maxSubjects = 200
const maxRoutes = 1000
const maxDetails = 100

/**
 * The maximum number of cells (counts with different labels) of one kind. New cells beyond this
 * number distinguish only the subject, the method, and whether there is a detail.
 */
const maxCells = 20_000

const longestRoute = 200
export const longestName = 100

/** Milliseconds of a day. Counts are grouped by day in UTC. */
export const dayLength = 86_400_000

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** One count with all its labels. */
export class Cell {
  /** Whether `take()` has ever returned the cell. If so, the cell may be in the store. */
  taken = false
  /** Whether the cell changed since `take()` last returned it. */
  changed = false
  /** Whether the cell was merged into `(other)`. */
  merged = false
  first = 0
  last = 0
  #day = 0
  #today = 0
  #before: [number, number][] = []

  constructor(readonly labels: Labels) {}

  /** The name of the cell in the store. */
  get field(): string {
    return fieldOf(this.labels)
  }

  add(now: number, amount: number): void {
    const day = Math.floor(now / dayLength)
    if (this.first === 0) this.first = now
    // If the clock was set back, the day and the time of the last count stay the same.
    if (now > this.last) this.last = now
    if (day > this.#day) {
      if (this.#today > 0) this.#before.push([this.#day, this.#today])
      this.#day = day
      this.#today = 0
    }
    this.#today += amount
  }

  absorb(cell: Cell): void {
    if (this.first === 0 || cell.first < this.first) this.first = cell.first
    if (cell.last > this.last) this.last = cell.last
    if (cell.#day === this.#day && cell.#before.length === 0) {
      this.#today += cell.#today
      return
    }
    const days = new Map(this.days())
    for (const [day, amount] of cell.days()) days.set(day, (days.get(day) ?? 0) + amount)
    const sorted = [...days].sort(([a], [b]) => a - b)
    const [day, today] = sorted.pop() ?? [0, 0]
    this.#day = day
    this.#today = today
    this.#before = sorted
  }

  /** Amounts by day, oldest first. */
  days(): [number, number][] {
    return this.#today > 0 ? [...this.#before, [this.#day, this.#today]] : [...this.#before]
  }

  /**
   * The value of the cell in the store: `[first, last, [[day, amount], ...]]`, without days before
   * `oldest`.
   */
  text(oldest: number): string {
    this.#before = this.#before.filter(([day]) => day >= oldest)
    return JSON.stringify([this.first, this.last, this.days()])
  }
}

const fieldOf = ({ kind, subject, method, route, detail, client }: Labels): string =>
  JSON.stringify([kind, subject, method, route, detail, client])

type Tree = Map<string, Map<string, Map<string, Map<string, Cell>>>>

interface Client {
  total: number
  readonly tree: Tree
}

/** The changes since the last call of `take()`. */
export interface Changes {
  readonly cells: readonly Cell[]
  /** Names of deleted cells. */
  readonly removed: readonly string[]
}

/** The counts of one kind. */
export class Counts {
  readonly #kind: CountKind
  readonly #maxClients: number
  readonly #clients = new Map<string, Client>()
  readonly #subjects = new Set<string>()
  readonly #routes = new Set<string>()
  readonly #details = new Map<string, Set<string>>()
  #size = 0
  #changed: Cell[] = []
  #removed = new Set<string>()

  /**
   * `maxClients`: the number of clients that keep their names when the others are merged into
   * `(other)`. Clients are merged when there are twice as many.
   */
  constructor(kind: CountKind, maxClients: number) {
    this.#kind = kind
    this.#maxClients = maxClients
  }

  /**
   * Adds `amount` to the count with these labels. Returns the labels under which it was counted:
   * they may be truncated, or be `(other)`.
   */
  count(
    subject: string,
    method: string,
    route: string,
    detail: string,
    client: string,
    now: number,
    amount: number,
  ): Labels {
    let held = this.#clients.get(client)
    let cell = held?.tree.get(subject)?.get(method)?.get(route)?.get(detail)
    if (held === undefined || cell === undefined) {
      cell = this.#open({ kind: this.#kind, subject, method, route, detail, client })
      held = this.#clients.get(cell.labels.client) as Client
    }
    held.total += amount
    cell.add(now, amount)
    this.#touch(cell)
    return cell.labels
  }

  /** Returns the changes since the last call, and resets them. */
  take(): Changes {
    const cells = this.#changed.filter((cell) => !cell.merged)
    for (const cell of this.#changed) {
      cell.changed = false
      cell.taken = true
    }
    const removed = [...this.#removed]
    this.#changed = []
    this.#removed = new Set()
    return { cells, removed }
  }

  /** Puts back changes that could not be stored, so that the next `take()` returns them again. */
  putBack({ cells, removed }: Changes): void {
    for (const field of removed) this.#removed.add(field)
    for (const cell of cells) {
      if (cell.merged) continue
      this.#removed.delete(cell.field)
      this.#touch(cell)
    }
    for (const cell of this.#changed) this.#removed.delete(cell.field)
  }

  /** Marks all counts as changed, for a store that has lost its contents. */
  touchAll(): void {
    for (const cell of this.#cells()) this.#touch(cell)
  }

  #touch(cell: Cell): void {
    if (cell.changed) return
    cell.changed = true
    this.#changed.push(cell)
  }

  /**
   * Truncates labels, or replaces them with `(other)`, where necessary. Returns the cell for the
   * resulting labels, and creates the cell if there is none.
   */
  #open(given: Labels): Cell {
    const labels = this.#bounded(given)
    const { subject, method, route, detail, client } = labels
    if (!this.#clients.has(client) && this.#clients.size >= 2 * this.#maxClients && !shared.has(client)) this.#shrink()
    const held = getOrMake(this.#clients, client, () => ({ total: 0, tree: new Map() }))
    const byMethod = getOrMake(held.tree, subject, () => new Map())
    const byRoute = getOrMake(byMethod, method, () => new Map())
    const byDetail = getOrMake(byRoute, route, () => new Map())
    const known = byDetail.get(detail)
    if (known !== undefined) return known
    const cell = new Cell(labels)
    byDetail.set(detail, cell)
    this.#size += 1
    if (this.#removed.size > 0) this.#removed.delete(cell.field)
    return cell
  }

  #bounded({ kind, subject, method, route, detail, client }: Labels): Labels {
    const clause = admit(this.#subjects, subject.slice(0, longestName), maxSubjects)
    const verb = methods.has(method) ? method : otherName
    if (this.#size >= maxCells)
      return {
        kind,
        subject: clause,
        method: verb,
        route: otherName,
        detail: detail === '' ? '' : otherName,
        client: otherName,
      }
    const details = getOrMake(this.#details, clause, () => new Set())
    return {
      kind,
      subject: clause,
      method: verb,
      route: admit(this.#routes, route.slice(0, longestRoute), maxRoutes),
      detail: detail === '' ? '' : admit(details, detail.slice(0, longestName), maxDetails),
      client: client.slice(0, longestName),
    }
  }

  /**
   * Keeps the half of the clients with the highest totals, and merges the other half into
   * `(other)`. If requests with many new names arrive, merging so many clients at once keeps the
   * cost per name low.
   */
  #shrink(): void {
    const named = [...this.#clients].filter(([name]) => !shared.has(name)).sort(([, a], [, b]) => b.total - a.total)
    for (const [name, { tree }] of named.slice(this.#maxClients)) {
      this.#clients.delete(name)
      for (const cell of cellsOf(tree)) {
        cell.merged = true
        this.#size -= 1
        // Cells that were never stored need no deletion in the store.
        if (cell.taken) this.#removed.add(cell.field)
        const into = this.#open({ ...cell.labels, client: otherName })
        into.absorb(cell)
        this.#touch(into)
      }
    }
  }

  *#cells(): Iterable<Cell> {
    for (const { tree } of this.#clients.values()) yield* cellsOf(tree)
  }
}

/** Reserved names. Each of them stands for any number of clients. */
const shared: ReadonlySet<string> = new Set(['', otherName, unnamedClient])

function* cellsOf(tree: Tree): Iterable<Cell> {
  for (const byMethod of tree.values())
    for (const byRoute of byMethod.values()) for (const byDetail of byRoute.values()) yield* byDetail.values()
}

function admit(known: Set<string>, name: string, maximum: number): string {
  if (known.has(name)) return name
  if (known.size >= maximum) return otherName
  known.add(name)
  return name
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
