/** An older version over the same data: an adapter that speaks one version's members over a store that holds another's (VER-1). */

import { isContainer } from '../definition/json.js'
import { checkOptions } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import type { Adapter, AdapterCall, Created, Refused, Repeated, Stored } from './contract.js'
import { isRefused } from './contract.js'
import { type Row, Terms } from './view-terms.js'

type Convert = (value: never) => unknown

export interface AdapterViewOptions {
  /** Member of the view -> member of the store, where the names differ. */
  readonly rename?: Readonly<Record<string, string>>
  /** Member of the view -> how the store's value becomes the view's. */
  readonly toWire?: Readonly<Record<string, Convert>>
  /**
   * Member of the view -> how the view's value becomes the store's; also for values of filters, where `undefined` means that no record can have it. It must keep the
   * order where the member can be sorted by or ranged over.
   */
  readonly fromWire?: Readonly<Record<string, Convert>>
  /** Members of the store that the view does not have. They are not shown, and survive its writes. */
  readonly hides?: readonly string[]
  /** Members of the store for what is created through the view. */
  readonly defaults?: Readonly<Record<string, unknown>>
}

export const viewKinds: Kinds<AdapterViewOptions> = {
  rename: { values: 'string' },
  toWire: { values: 'function' },
  fromWire: { values: 'function' },
  hides: { each: 'string' },
  defaults: 'table',
}

/**
 * Maps values, filters and sorts of an older version onto the adapter of a newer one. Members of the store that the older version does not have belong in `hides`:
 * then they survive its PUT and PATCH. Members of the key can be renamed; their values are the store's.
 *
 * Throws `ConfigurationError` where an option is misspelt, two members of the view would be one of the store, or a renamed one is hidden.
 *
 * @example mount(clientesV1, adapterView(clientes, { rename: { nombre: 'razonSocial' }, hides: ['cuit'] }))
 */
export function adapterView<T = Row, K = unknown>(
  adapter: Adapter<never, K> | Adapter<unknown, K>,
  options: AdapterViewOptions = {},
): Adapter<T, K> {
  checkOptions('adapterView()', options, viewKinds)
  const under = adapter as Adapter<unknown, K>
  const terms = new Terms(options)
  const show = (call: AdapterCall, { value, version }: Stored<unknown>): Stored<T> => ({
    value: terms.showFor(call, value as Row) as T,
    version,
  })
  const key = (given: K): K => (isRow(given) ? (terms.renamed(given) as K) : given)
  const shownKey = (given: K): K => (isRow(given) ? (terms.renamedBack(given) as K) : given)
  const below = (call: AdapterCall): AdapterCall => terms.call(call)
  const refused = <R>(result: R | Refused): R | Refused => (isRefused(result) ? terms.refused(result) : result)

  // A function of a team may give another value of the same record.
  const computes = under.computes === true || Object.keys(options.toWire ?? {}).length > 0
  const made: Adapter<T, K> = {
    async list(given, call) {
      const asked = terms.request(given)
      const { seekable, refused: fault, ...page } = await under.list(asked, below(call))
      const items = page.items.map((stored) => show(call, stored))
      const places = seekable && (given.seek === undefined || asked.seek !== undefined) && terms.placesReturn(given.sort, items, page.items)
      return {
        ...page,
        items,
        ...(seekable === undefined ? {} : { seekable: places === true }),
        ...(fault === undefined ? {} : { refused: terms.refused(fault) }),
      }
    },
    async read(keys, call) {
      return (await under.read(keys.map(key), below(call))).map((stored) => stored && show(call, stored))
    },
  }
  if (under.within !== undefined)
    made.within = (transaction) => adapterView<T, K>(under.within?.(transaction) as Adapter<unknown, K>, options)
  // Not among the methods that the view offers (VERB-9).
  if (computes) Object.defineProperty(made, 'computes', { value: true })
  if (under.ready !== undefined) made.ready = (offered) => under.ready?.(offered)
  if (under.create !== undefined) {
    made.create = async (value, call): Promise<Created<T, K> | Repeated> => {
      const record = { ...structuredClone(options.defaults), ...terms.store(value as Row) }
      const result = answered('create', await under.create?.(record, below(call)))
      if (typeof result === 'string') return result
      if ('created' in result) return { created: written(call, result.created) }
      return 'accepted' in result ? { accepted: shownKey(result.accepted) } : refused(result)
    }
  }
  if (under.recall !== undefined) {
    made.recall = async (call) => {
      // What is kept is the store's own record.
      const found = await under.recall?.(below(call))
      return typeof found === 'object' && found !== null ? show(call, found) : found
    }
  }
  if (under.replace !== undefined) made.replace = replace
  if (under.remove !== undefined) {
    made.remove = async (given, expected, call) => refused(answered('remove', await under.remove?.(key(given), expected, below(call))))
  }
  if (under.attach !== undefined) {
    made.attach = async (parent, given, expected, call) =>
      refused(answered('attach', await under.attach?.(parent, key(given), expected, below(call))))
  }
  if (under.detach !== undefined) {
    made.detach = async (parent, given, expected, call) =>
      refused(answered('detach', await under.detach?.(parent, key(given), expected, below(call))))
  }
  return made

  /**
   * What a write has stored. The write has succeeded even where the conversion fails: then the
   * version is returned, and reading the value throws (VERB-13).
   */
  function written(call: AdapterCall, stored: Stored<unknown>): Stored<T> {
    try {
      return show(call, stored)
    } catch (error) {
      return {
        version: stored.version,
        get value(): T {
          throw error
        },
      }
    }
  }

  async function replace(
    given: K,
    value: T,
    expected: string | undefined,
    call: AdapterCall,
  ): Promise<Stored<T> | 'absent' | 'stale' | Refused> {
    const record = terms.store(value as Row)
    const put = async (next: Row, version: string | undefined) =>
      answered('replace', await under.replace?.(key(given), next, version, below(call)))
    const result = terms.hidesNothing ? await put(record, expected) : await keeping(given, record, expected, put, call)
    if (typeof result === 'string') return result
    return isRefused(result) ? terms.refused(result) : written(call, result)
  }

  /**
   * What the view hides has to be read to be kept, so the version that was read is the one compared. A lost race is stale, also without `expected`: the router
   * knows when to try again and for how long.
   */
  async function keeping<R>(
    given: K,
    record: Row,
    expected: string | undefined,
    put: (next: Row, version: string) => Promise<R>,
    call: AdapterCall,
  ): Promise<R | 'absent' | 'stale'> {
    const [current] = await under.read([key(given)], below(call))
    if (current === undefined) return 'absent'
    if (expected !== undefined && current.version !== expected) return 'stale'
    return put({ ...terms.hidden(current.value as Row), ...record }, current.version)
  }
}

function answered<R>(method: string, result: R | undefined): R {
  if (result === undefined) throw new Error(`The adapter below a view answered nothing to ${method}().`)
  return result
}

const isRow = (value: unknown): value is Row => isContainer(value)
