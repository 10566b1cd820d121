/** The changes of a version, collected: what concerns several operations stands once. */
import type { Level } from './findings.js'
import type { ContractKind } from './kinds.js'
import type { Place } from './nodes.js'

/** One change of a contract. */
export interface Change {
  /** A stable id, such as `filter-removed`: docs/contract.md lists them. */
  readonly kind: ContractKind
  /** Whether clients break; a `warning` breaks code that was generated from the document. */
  readonly level: Level
  readonly breaking: boolean
  /** The version, such as `v1`; none where the caller did not say. */
  readonly version?: string
  /** The first operation that it concerns; none where it concerns the whole document. */
  readonly method?: string
  readonly path?: string
  /** Such as `query "lote"`, `body contrato.href`, `200 application/json numero`. */
  readonly place: string
  /** Where it is written: in the document before, or, of what is new, in the one after. */
  readonly pointer: string
  /** What stands there on each side; none where a side has nothing. */
  readonly before?: unknown
  readonly after?: unknown
  /** What tells it from other changes at the same place, such as the value that is gone. */
  readonly detail: string
  /** Other operations that it concerns, such as `GET /pre-piezas/{numero}`. */
  readonly alsoAt: readonly string[]
  /** What has changed, and what clients get. */
  readonly summary: string
  /** The same, and what to do. */
  readonly sentence: string
}

/** What a version's sentences say of it. */
export interface VersionWords {
  readonly version?: string
  /** Where a breaking change belongs, such as `v2`. */
  readonly next: string
}

/** An operation of a document. */
export interface OperationName {
  readonly method: string
  readonly path: string
}

/** A change as it was found. */
export interface Found {
  readonly kind: ContractKind
  readonly level: Level
  readonly operation?: OperationName
  readonly place: string
  readonly before?: Place | undefined
  readonly after?: Place | undefined
  /** What tells it from others at the same pointer, such as the value that is gone. */
  readonly detail?: string
  /** What has changed: `the filter "lote" of pre-piezas is gone`. */
  readonly what: string
  /** What clients get: `clients that send it get 400`. */
  readonly so?: string
}

/** Collects the changes of one version. */
export class Changes {
  readonly #words: VersionWords
  readonly #found = new Map<string, { readonly found: Found; readonly operations: Set<string> }>()

  constructor(words: VersionWords) {
    this.#words = words
  }

  add(found: Found): void {
    const { kind, detail = '', place, before, after } = found
    const pointer = before?.pointer ?? after?.pointer ?? `${nameOf(found.operation)} ${place}`
    // HEAD of a list is told with its GET.
    const key = `${kind} ${pointer.replace(/^(#\/paths\/[^/]+)\/head\//, '$1/get/')} ${detail}`
    const entry = this.#found.get(key) ?? { found, operations: new Set() }
    this.#found.set(key, entry)
    if (found.operation !== undefined) entry.operations.add(nameOf(found.operation))
  }

  /** Those that break clients first, each level in the order of the documents. */
  all(): readonly Change[] {
    const levels: readonly Level[] = ['breaking', 'warning', 'harmless']
    const changes = [...this.#found.values()].map(({ found, operations }) =>
      this.#change(found, [...operations].slice(1)),
    )
    return changes.sort((one, other) => levels.indexOf(one.level) - levels.indexOf(other.level))
  }

  #change(
    { kind, level, operation, place, before, after, detail = '', what, so }: Found,
    alsoAt: readonly string[],
  ): Change {
    const { version, next } = this.#words
    const others =
      alsoAt.length === 0 ? '' : ` (and ${alsoAt.length} more ${alsoAt.length === 1 ? 'operation' : 'operations'})`
    const summary = `${version === undefined ? '' : `${version}: `}${what}${others}${so === undefined ? '' : `: ${so}`}`
    const advice = level === 'breaking' ? `. Put the change into ${next}, or accept it with --accept` : ''
    return {
      kind,
      level,
      breaking: level === 'breaking',
      ...(version === undefined ? {} : { version }),
      ...operation,
      place,
      pointer: before?.pointer ?? after?.pointer ?? '#',
      ...(before === undefined ? {} : { before: before.value }),
      ...(after === undefined ? {} : { after: after.value }),
      detail,
      alsoAt,
      summary,
      sentence: `${summary}${advice}`,
    }
  }
}

const nameOf = (operation: OperationName | undefined): string =>
  operation === undefined ? '' : `${operation.method} ${operation.path}`
