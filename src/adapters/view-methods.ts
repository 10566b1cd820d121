/**
 * The methods of a view, which is an adapter for an older version of the API (see `adapterView`).
 * The view has the members of the older version, and the store has those of the newer one. The
 * methods convert the members in requests to the members of the store, and the members in results
 * to the members of the view.
 */

import { isContainer } from '../definition/json.js'
import { loggableError } from '../failures/loggable.js'
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
import type { MemberTranslator, Row } from './member-translator.js'
import type { AdapterViewOptions } from './view-options.js'

export interface View {
  /** The adapter of the newer version. */
  readonly under: Adapter<unknown, unknown>
  readonly translator: MemberTranslator
  readonly defaults: AdapterViewOptions['defaults']
}

export async function list({ under, translator }: View, given: ListRequest, call: AdapterCall): Promise<Page<Row>> {
  const asked = translator.request(given)
  const { seekable, refused, ...page } = await under.list(asked, translator.call(call))
  const items = page.items.map((stored) => shown(translator, stored, call))
  const places =
    seekable &&
    (given.seek === undefined || asked.seek !== undefined) &&
    translator.positionsRoundTrip(given.sort, items, page.items)
  return {
    ...page,
    items,
    ...(seekable === undefined ? {} : { seekable: places === true }),
    ...(refused === undefined ? {} : { refused: translator.refused(refused) }),
  }
}

export async function read(
  { under, translator }: View,
  keys: readonly unknown[],
  call: AdapterCall,
): Promise<readonly (Stored<Row> | undefined)[]> {
  const found = await under.read(
    keys.map((key) => keyBelow(translator, key)),
    translator.call(call),
  )
  return found.map((stored) => stored && shown(translator, stored, call))
}

export async function create(
  { under, translator, defaults }: View,
  value: Row,
  call: AdapterCall,
): Promise<Created<Row, unknown> | Repeated> {
  const record = { ...structuredClone(defaults), ...translator.toStored(value) }
  const result = definedResult('create', await under.create?.(record, translator.call(call)))
  if (typeof result === 'string') return result
  if ('created' in result) return { created: written(translator, result.created, call) }
  if ('accepted' in result)
    return { accepted: isRow(result.accepted) ? translator.renamedBack(result.accepted) : result.accepted }
  return isRefused(result) ? translator.refused(result) : result
}

/**
 * Returns the record that the store keeps for the idempotency id of the call. This record has the
 * members of the store, so it is converted to the members of the view.
 */
export async function recall(
  { under, translator }: View,
  call: AdapterCall,
): Promise<Stored<Row> | Repeated | undefined> {
  const found = await under.recall?.(translator.call(call))
  return isContainer(found) ? shown(translator, found, call) : found
}

export async function replace(
  view: View,
  key: unknown,
  value: Row,
  expected: string | undefined,
  call: AdapterCall,
): Promise<Stored<Row> | 'absent' | 'stale' | Refused> {
  const { under, translator } = view
  const target = keyBelow(translator, key)
  const below = translator.call(call)
  const record = translator.toStored(value)
  const put = async (next: Row, version: string | undefined) =>
    definedResult('replace', await under.replace?.(target, next, version, below))
  const result = translator.hidesNothing
    ? await put(record, expected)
    : await keepingHidden(view, target, expected, call, (hidden, version) => put({ ...hidden, ...record }, version))
  if (typeof result === 'string') return result
  return isRefused(result) ? translator.refused(result) : written(translator, result, call)
}

/**
 * Replaces a record and keeps its hidden members, which the view does not show. The hidden members
 * have to be read first, and the write then expects the version that was read. If another write
 * comes in between, the result is `'stale'`, even without `expected`. The router decides whether to
 * retry.
 */
async function keepingHidden<R>(
  { under, translator }: View,
  key: unknown,
  expected: string | undefined,
  call: AdapterCall,
  put: (hidden: Row, version: string) => Promise<R>,
): Promise<R | 'absent' | 'stale'> {
  const [current] = await under.read([key], translator.call(call))
  if (current === undefined) return 'absent'
  if (expected !== undefined && current.version !== expected) return 'stale'
  return put(translator.hidden(current.value as Row), current.version)
}

export async function remove(
  { under, translator }: View,
  key: unknown,
  expected: string | undefined,
  call: AdapterCall,
) {
  return refusedAbove(
    translator,
    definedResult('remove', await under.remove?.(keyBelow(translator, key), expected, translator.call(call))),
  )
}

export async function attach(
  { under, translator }: View,
  parent: ParentKey,
  key: unknown,
  expected: string | undefined,
  call: AdapterCall,
) {
  return refusedAbove(
    translator,
    definedResult('attach', await under.attach?.(parent, keyBelow(translator, key), expected, translator.call(call))),
  )
}

export async function detach(
  { under, translator }: View,
  parent: ParentKey,
  key: unknown,
  expected: string | undefined,
  call: AdapterCall,
) {
  return refusedAbove(
    translator,
    definedResult('detach', await under.detach?.(parent, keyBelow(translator, key), expected, translator.call(call))),
  )
}

/**
 * Returns the adapter that the store's `within()` returns. Its calls run in the caller's
 * transaction.
 */
export function within({ under }: View, transaction: unknown): Adapter<unknown, unknown> {
  return definedResult('within', under.within?.(transaction))
}

const shown = (translator: MemberTranslator, { value, version }: Stored<unknown>, call: AdapterCall): Stored<Row> => ({
  value: translator.showFor(call, value as Row),
  version,
})

/**
 * Converts the record that a write has stored. If the conversion fails, the write has succeeded
 * nevertheless. The result then has the version of the record, but reading its `value` throws
 * (VERB-13).
 */
function written(translator: MemberTranslator, stored: Stored<unknown>, call: AdapterCall): Stored<Row> {
  try {
    return shown(translator, stored, call)
  } catch (error) {
    return {
      version: stored.version,
      get value(): Row {
        throw error
      },
    }
  }
}

const keyBelow = (translator: MemberTranslator, key: unknown): unknown => (isRow(key) ? translator.renamed(key) : key)

const refusedAbove = <R>(translator: MemberTranslator, result: R | Refused): R | Refused =>
  isRefused(result) ? translator.refused(result) : result

function definedResult<R>(method: string, result: R | undefined): R {
  if (result === undefined)
    throw loggableError(`The adapter given to adapterView() returned undefined from ${method}().`)
  return result
}

const isRow = (value: unknown): value is Row => isContainer(value)
