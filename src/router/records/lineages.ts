/**
 * Finds the parents of records. If a resource is below a parent, each record contains the key of
 * its parent in its own members (PATH-7).
 */
import { isObject } from '../../definition/json.js'
import type { KeyValue } from '../../definition/key.js'
import { lineageOf } from '../../plan/addresses.js'
import type { Mounted } from '../../plan/routes.js'
import type { ConditionalPlace } from '../caller.js'
import { readable } from '../permission.js'
import { absent, Store } from '../store.js'

/** The keys of an item and of all its parents. The key of the outermost parent is the first. */
type Lineage = readonly KeyValue[]

/** Returns the key of a record's parent, or `undefined` if the record contains no such key. */
export function parentKeyOf({ parent }: Mounted, record: unknown): KeyValue | undefined {
  if (parent === undefined || !isObject(record)) return undefined
  const { key } = parent.mounted.plan
  return key.of(Object.fromEntries(key.members.map((member, i) => [member, record[parent.by[i] as string]])))
}

/**
 * Returns the lineage of an item. If the item's key does not include the keys of its parents, the
 * record is read. Throws `absent` (404) if the record does not exist, or if it does not contain the
 * key of a parent.
 */
export async function lineageOfItem(place: ConditionalPlace, mounted: Mounted, key: KeyValue): Promise<Lineage> {
  if (mounted.parent === undefined) return [key]
  if (keyIncludesParents(mounted)) return lineageOf(mounted, key)
  const { value } = await new Store(place, mounted).one(key)
  const above = parentKeyOf(mounted, value)
  if (above === undefined) throw absent()
  return [...(await lineageOfItem(place, mounted.parent.mounted, above)), key]
}

const keyIncludesParents = ({ parent, plan }: Mounted): boolean =>
  parent === undefined ||
  (parent.by.every((member) => plan.key.members.includes(member)) && keyIncludesParents(parent.mounted))

/**
 * Returns a map from each item's key (as a string) to its lineage. The map contains only items that
 * the caller may read and whose parents the caller may read too.
 */
export async function lineagesOf(
  place: ConditionalPlace,
  mounted: Mounted,
  keys: readonly KeyValue[],
): Promise<ReadonlyMap<string, Lineage>> {
  const { key: codec } = mounted.plan
  const wanted = [...new Map(keys.map((key) => [codec.text(key), key]))]
  const stored = await readable(
    place,
    mounted,
    wanted.map(([, key]) => key),
  )
  const found = wanted
    .map(([text, key], i) => ({ text, key, value: stored[i]?.value }))
    .filter((_, i) => stored[i] !== undefined)
  const { parent } = mounted
  if (parent === undefined) return new Map(found.map(({ text, key }) => [text, [key]]))
  const named = found.flatMap((one) => {
    const above = parentKeyOf(mounted, one.value)
    return above === undefined ? [] : [{ ...one, above }]
  })
  const { key: parentCodec } = parent.mounted.plan
  const lineages = await lineagesOf(
    place,
    parent.mounted,
    named.map(({ above }) => above),
  )
  return new Map(
    named.flatMap(({ text, key, above }) => {
      const lineage = lineages.get(parentCodec.text(above))
      return lineage === undefined ? [] : [[text, [...lineage, key]] as const]
    }),
  )
}
