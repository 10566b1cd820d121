/**
 * A store with example records in memory, which replaces the service's real store. It has the same
 * methods as the real store.
 */
import type { AdapterCall, Created, Repeated } from '../adapters/contract.js'
import { memoryAdapter } from '../adapters/memory/adapter.js'
import type { MemoryAdapter } from '../adapters/memory/options.js'
import { declareCreating, isCreating } from '../definition/fixed.js'
import { type JsonObject, own, put } from '../definition/json.js'
import type { KeyValue } from '../definition/key.js'
import type { ResourceDefinition } from '../definition/resource.js'
import { valueFormat } from '../definition/value-formats.js'
import { partMakers } from '../examples/keys.js'
import type { Made } from '../examples/linked-records.js'
import { Unmade } from '../examples/unmade.js'
import type { AnyAdapter } from '../plan/mount.js'

const nobody: AdapterCall = { principal: undefined, scope: {}, requestId: 'mock', signal: new AbortController().signal }

/** The store of a definition, with its example records. */
export function exampleStore(definition: ResourceDefinition, { records, attachments, maker }: Made): AnyAdapter {
  const memory = memoryAdapter(definition, { records, idempotency: true }) as MemoryAdapter<unknown, KeyValue>
  for (const { parent, record } of attachments) {
    const key = definition.key.of(record)
    if (key !== undefined) memory.attach(parent, key, undefined, nobody)
  }
  const complete = completion(definition, maker, records.length)
  const create = (value: unknown, call: AdapterCall): Created<unknown, KeyValue> | Repeated =>
    memory.create(complete(value as JsonObject, call), call as never)
  return { ...memory, create } as unknown as AnyAdapter
}

/**
 * Returns a function that sets the members that a real store would set: the read-only members, and
 * the key members that the definition declares as `assigned`. Numeric key members are not set here,
 * because the memory adapter assigns them.
 */
function completion(
  definition: ResourceDefinition,
  maker: Made['maker'],
  made: number,
): (value: JsonObject, call: AdapterCall) => JsonObject {
  const { shape, key, assigned } = definition
  const isNumber = (name: string): boolean => {
    const place = shape.members.get(name)
    return (
      place?.types.has('integer') === true ||
      place?.types.has('number') === true ||
      valueFormat(place)?.isNumber === true
    )
  }
  const isKey = (name: string): boolean => key.members.includes(name)
  const names = [...shape.members.keys()].filter(
    (name) => (shape.members.get(name)?.readOnly || assigned.has(name)) && !(isKey(name) && isNumber(name)),
  )
  const parts = partMakers(maker, names.filter(isKey))
  let index = made
  return (value, { scope, attachTo }) => {
    const fixed = new Set([
      ...Object.keys(scope),
      ...(attachTo === undefined ? [] : definition.attachedTo.flatMap(({ by }) => by ?? [])),
    ])
    const missing = names.filter((name) => (own(value, name) ?? null) === null && !fixed.has(name))
    if (missing.length === 0) return value
    const whole: JsonObject = { ...value }
    for (const name of missing) if (isKey(name)) put(whole, name, partOf(parts.get(name), index))
    const made = recordLike(maker, whole, missing, index)
    index += 1
    for (const name of missing) if (own(made, name) !== undefined) put(whole, name, made[name])
    return whole
  }
}

function partOf(make: ReturnType<ReturnType<typeof partMakers>['get']>, index: number): unknown {
  try {
    return make?.({ index, attempt: 0, before: index })
  } catch (error) {
    if (error instanceof Unmade) return undefined
    throw error
  }
}

/**
 * Returns a generated record that has the values of `whole`. The members in `missing` that are
 * absent or null in `whole` get generated values. If no such record could be generated, returns
 * `whole`.
 */
function recordLike(maker: Made['maker'], whole: JsonObject, missing: readonly string[], index: number): JsonObject {
  const isOpen = (name: string): boolean => missing.includes(name) && (own(whole, name) ?? null) === null
  const fixed = Object.fromEntries(Object.entries(whole).filter(([name]) => !isOpen(name)))
  // Numeric keys get a placeholder here, because the store assigns them later.
  for (const member of maker.definition.key.members) fixed[member] ??= 1
  try {
    return maker.make(index, () => fixed)
  } catch (error) {
    if (error instanceof Unmade) return whole
    throw error
  }
}

const optional = ['create', 'recall', 'replace', 'remove', 'attach', 'detach'] as const

/**
 * Returns the store without the optional methods that the real adapter lacks. So the mock responds
 * with 405 to the same requests as the service. The real adapter is not called.
 */
export function withMethodsOf(store: AnyAdapter, real: AnyAdapter): AnyAdapter {
  const able: Record<string, unknown> = { list: store.list, read: store.read }
  if (store.ready !== undefined) able.ready = store.ready
  if (store.computes === true) able.computes = true
  for (const method of optional) if (typeof real[method] === 'function') able[method] = store[method]
  const { create } = able as Pick<AnyAdapter, 'create'>
  // `declareCreating` marks a function. Several adapters may share `create`, and not all of them
  // need the mark, so each adapter gets its own wrapper.
  const own = create && ((value: unknown, call: AdapterCall) => create(value, call))
  if (own !== undefined) {
    if (isCreating(real.create)) declareCreating(own)
    able.create = own
  }
  return able as unknown as AnyAdapter
}
