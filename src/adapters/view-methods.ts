/**
 * The methods of a view. They translate requests to the members of the store, and results to the
 * members of the view.
 */
import { isContainer } from '../definition/json.js'
import type {
  Adapter,
  AdapterCall,
  Created,
  ListRequest,
  Page,
  ParentKey,
  Refused,
  Repeated,
  Stored,
} from './contract.js'
import { isRefused } from './contract.js'
import type { AdapterViewOptions } from './view-options.js'
import type { Row, Terms } from './view-terms.js'

export interface View {
  /** The adapter of the newer version. */
  readonly under: Adapter<unknown, unknown>
  readonly terms: Terms
  readonly defaults: AdapterViewOptions['defaults']
}

export async function list({ under, terms }: View, given: ListRequest, call: AdapterCall): Promise<Page<Row>> {
  const asked = terms.request(given)
  const { seekable, refused, ...page } = await under.list(asked, terms.call(call))
  const items = page.items.map((stored) => shown(terms, stored, call))
  const places =
    seekable &&
    (given.seek === undefined || asked.seek !== undefined) &&
    terms.positionsRoundTrip(given.sort, items, page.items)
  return {
    ...page,
    items,
    ...(seekable === undefined ? {} : { seekable: places === true }),
    ...(refused === undefined ? {} : { refused: terms.refused(refused) }),
  }
}

export async function read(
  { under, terms }: View,
  keys: readonly unknown[],
  call: AdapterCall,
): Promise<readonly (Stored<Row> | undefined)[]> {
  const found = await under.read(
    keys.map((key) => keyBelow(terms, key)),
    terms.call(call),
  )
  return found.map((stored) => stored && shown(terms, stored, call))
}

export async function create(
  { under, terms, defaults }: View,
  value: Row,
  call: AdapterCall,
): Promise<Created<Row, unknown> | Repeated> {
  const record = { ...structuredClone(defaults), ...terms.store(value) }
  const result = answered('create', await under.create?.(record, terms.call(call)))
  if (typeof result === 'string') return result
  if ('created' in result) return { created: written(terms, result.created, call) }
  if ('accepted' in result)
    return { accepted: isRow(result.accepted) ? terms.renamedBack(result.accepted) : result.accepted }
  return isRefused(result) ? terms.refused(result) : result
}

/**
 * Returns the kept record. The store keeps it with the members of the store, so it is converted to
 * the members of the view.
 */
export async function recall({ under, terms }: View, call: AdapterCall): Promise<Stored<Row> | Repeated | undefined> {
  const found = await under.recall?.(terms.call(call))
  return isContainer(found) ? shown(terms, found, call) : found
}

export async function replace(
  view: View,
  key: unknown,
  value: Row,
  expected: string | undefined,
  call: AdapterCall,
): Promise<Stored<Row> | 'absent' | 'stale' | Refused> {
  const { under, terms } = view
  const target = keyBelow(terms, key)
  const below = terms.call(call)
  const record = terms.store(value)
  const put = async (next: Row, version: string | undefined) =>
    answered('replace', await under.replace?.(target, next, version, below))
  const result = terms.hidesNothing
    ? await put(record, expected)
    : await keepingHidden(view, target, expected, call, (hidden, version) => put({ ...hidden, ...record }, version))
  if (typeof result === 'string') return result
  return isRefused(result) ? terms.refused(result) : written(terms, result, call)
}

/**
 * Replaces a record and keeps its hidden members. The hidden members have to be read first, and the
 * write then expects the version that was read. If another write comes in between, the result is
 * `'stale'`, even without `expected`. The router decides whether to retry.
 */
async function keepingHidden<R>(
  { under, terms }: View,
  key: unknown,
  expected: string | undefined,
  call: AdapterCall,
  put: (hidden: Row, version: string) => Promise<R>,
): Promise<R | 'absent' | 'stale'> {
  const [current] = await under.read([key], terms.call(call))
  if (current === undefined) return 'absent'
  if (expected !== undefined && current.version !== expected) return 'stale'
  return put(terms.hidden(current.value as Row), current.version)
}

export async function remove({ under, terms }: View, key: unknown, expected: string | undefined, call: AdapterCall) {
  return refusedAbove(terms, answered('remove', await under.remove?.(keyBelow(terms, key), expected, terms.call(call))))
}

export async function attach(
  { under, terms }: View,
  parent: ParentKey,
  key: unknown,
  expected: string | undefined,
  call: AdapterCall,
) {
  return refusedAbove(
    terms,
    answered('attach', await under.attach?.(parent, keyBelow(terms, key), expected, terms.call(call))),
  )
}

export async function detach(
  { under, terms }: View,
  parent: ParentKey,
  key: unknown,
  expected: string | undefined,
  call: AdapterCall,
) {
  return refusedAbove(
    terms,
    answered('detach', await under.detach?.(parent, keyBelow(terms, key), expected, terms.call(call))),
  )
}

/** The store's adapter over a transaction of the caller. */
export function within({ under }: View, transaction: unknown): Adapter<unknown, unknown> {
  return answered('within', under.within?.(transaction))
}

const shown = (terms: Terms, { value, version }: Stored<unknown>, call: AdapterCall): Stored<Row> => ({
  value: terms.showFor(call, value as Row),
  version,
})

/**
 * Converts the record that a write has stored. If the conversion fails, the write has succeeded
 * nevertheless. The result then has the version, and reading its `value` throws (VERB-13).
 */
function written(terms: Terms, stored: Stored<unknown>, call: AdapterCall): Stored<Row> {
  try {
    return shown(terms, stored, call)
  } catch (error) {
    return {
      version: stored.version,
      get value(): Row {
        throw error
      },
    }
  }
}

const keyBelow = (terms: Terms, key: unknown): unknown => (isRow(key) ? terms.renamed(key) : key)

const refusedAbove = <R>(terms: Terms, result: R | Refused): R | Refused =>
  isRefused(result) ? terms.refused(result) : result

function answered<R>(method: string, result: R | undefined): R {
  if (result === undefined) throw new Error(`The adapter below a view returned undefined from ${method}().`)
  return result
}

const isRow = (value: unknown): value is Row => isContainer(value)
