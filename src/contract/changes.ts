/** Collects the changes of a version. A change that affects several operations is listed once. */
import type { Level } from './findings.js'
import type { ContractKind } from './kinds.js'
import type { Place } from './nodes.js'

/** One change of a contract. */
export interface Change {
  /** A stable id, such as `filter-removed`. docs/contract.md lists all ids. */
  readonly kind: ContractKind
  /**
   * `breaking`: clients break. `warning`: only code generated from the document can break.
   * `harmless`: nothing breaks.
   */
  readonly level: Level
  readonly breaking: boolean
  /** The name of the version, such as `v1`. Absent if the name is not known. */
  readonly version?: string
  /**
   * `method` and `path` are those of the first operation that is affected. For a webhook or
   * callback, `path` is its name. If the change does not belong to an operation, for example
   * because a whole path was removed, `method` and `path` are absent.
   */
  readonly method?: string
  readonly path?: string
  /**
   * The changed part of the document, such as `query "lote"`, `body contrato.href` or `200
   * application/json numero`.
   */
  readonly place: string
  /**
   * A JSON pointer into the earlier document. If the changed part is new, a pointer into the later
   * document.
   */
  readonly pointer: string
  /**
   * `before` and `after` are the values in the earlier and the later document. Each is absent if
   * its document has no such value.
   */
  readonly before?: unknown
  readonly after?: unknown
  /**
   * A string that distinguishes the change from other changes with the same pointer, such as the
   * removed value.
   */
  readonly detail: string
  /** Other operations that are affected, such as `GET /pre-piezas/{numero}`. */
  readonly alsoAt: readonly string[]
  /** A sentence about the change and its effect on clients. */
  readonly summary: string
  /** `summary`, followed by advice if the change is breaking. */
  readonly sentence: string
}

/** The names of versions for the sentences about changes. */
export interface VersionWords {
  readonly version?: string
  /** The version into which a breaking change should be put, such as `v2`. */
  readonly next: string
}

/** An operation of a document. */
export interface OperationName {
  readonly method: string
  readonly path: string
}

/** A change, before it is merged with equal changes of other operations. */
export interface Found {
  readonly kind: ContractKind
  readonly level: Level
  readonly operation?: OperationName
  readonly place: string
  readonly before?: Place | undefined
  readonly after?: Place | undefined
  /**
   * A string that distinguishes the change from other changes with the same pointer, such as the
   * removed value.
   */
  readonly detail?: string
  /** The change in words, such as `the filter "lote" of pre-piezas was removed`. */
  readonly what: string
  /** The effect on clients in words, such as `clients that send it get 400`. */
  readonly effect?: string
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
    // A change of HEAD is reported together with the same change of GET.
    const key = `${kind} ${pointer.replace(/^(#\/paths\/[^/]+)\/head\//, '$1/get/')} ${detail}`
    const entry = this.#found.get(key) ?? { found, operations: new Set() }
    this.#found.set(key, entry)
    if (found.operation !== undefined) entry.operations.add(nameOf(found.operation))
  }

  /**
   * Returns all changes, breaking changes first. Within a level, the changes are in the order in
   * which they were added.
   */
  all(): readonly Change[] {
    const levels: readonly Level[] = ['breaking', 'warning', 'harmless']
    const changes = [...this.#found.values()].map(({ found, operations }) =>
      this.#change(found, [...operations].slice(1)),
    )
    return changes.sort((one, other) => levels.indexOf(one.level) - levels.indexOf(other.level))
  }

  #change(
    { kind, level, operation, place, before, after, detail = '', what, effect }: Found,
    alsoAt: readonly string[],
  ): Change {
    const { version, next } = this.#words
    const others =
      alsoAt.length === 0 ? '' : ` (also in ${alsoAt.length} other ${alsoAt.length === 1 ? 'operation' : 'operations'})`
    const summary = `${version === undefined ? '' : `${version}: `}${what}${others}${effect === undefined ? '' : `: ${effect}`}`
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
