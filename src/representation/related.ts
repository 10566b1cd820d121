/** The records that links show or expand: one batched read per association and page, never one per item (REP-1..3). */
import type { Stored } from '../adapters/contract.js'
import { isObject } from '../definition/json.js'
import type { KeyValue } from '../definition/key.js'
import type { Link } from '../definition/resource.js'
import type { Mounted } from '../plan/routes.js'

/** Reads records of a resource on behalf of the request at hand. */
export type ReadBatch = (
  mounted: Mounted,
  keys: readonly KeyValue[],
) => Promise<readonly (Stored<unknown> | undefined)[]> | readonly (Stored<unknown> | undefined)[]

/** Related records by association, then by the target's id text; the associations of expanded records lie within. */
export interface Related {
  readonly links: ReadonlyMap<string, RelatedLink>
  /** Names and versions of all that was read: they shape the bytes, so they shape the tag (HDR-2). */
  readonly versions: string
}

interface RelatedLink {
  readonly records: ReadonlyMap<string, Stored<unknown>>
  readonly expanded: boolean
  readonly nested: Related
}

export const nothingRelated: Related = Object.freeze({ links: new Map(), versions: '' })

/** True where representing this resource takes no related record at all. */
export function standsAlone(mounted: Mounted, expand: readonly string[]): boolean {
  return expand.length === 0 && !mounted.plan.shows
}

/** Reads what the links of these records need, the associations side by side. Nested associations stay links (REP-2), so this goes two levels deep at most. */
export async function gatherRelated(
  mounted: Mounted,
  records: readonly unknown[],
  expand: readonly string[],
  read: ReadBatch,
): Promise<Related> {
  if (standsAlone(mounted, expand) || records.length === 0) return nothingRelated
  const links = await Promise.all(
    [...mounted.plan.links.values()].map(async (link): Promise<[string, RelatedLink] | undefined> => {
      const expanded = expand.includes(link.name)
      if (link.kind !== 'to' || (link.show.length === 0 && !expanded)) return undefined
      const target = mounted.targets.get(link.name) as Mounted
      const found = await readAll(
        target,
        records.map((record) => linkedKey(target, link, record)),
        read,
      )
      const nested = expanded
        ? await gatherRelated(
            target,
            [...found.values()].map((stored) => stored.value),
            [],
            read,
          )
        : nothingRelated
      return [link.name, { records: found, expanded, nested }]
    }),
  )
  const present = links.filter((entry) => entry !== undefined)
  return { links: new Map(present), versions: present.map(versionsOf).join('\n') }
}

async function readAll(target: Mounted, wanted: readonly (KeyValue | undefined)[], read: ReadBatch): Promise<Map<string, Stored<unknown>>> {
  const keys = new Map<string, KeyValue>()
  for (const key of wanted) if (key !== undefined) keys.set(target.plan.key.text(key), key)
  const found = new Map<string, Stored<unknown>>()
  if (keys.size === 0) return found
  const stored = await read(target, [...keys.values()])
  for (const [i, text] of [...keys.keys()].entries()) {
    const record = stored[i]
    if (record !== undefined) found.set(text, record)
  }
  return found
}

function versionsOf([name, { records, expanded, nested }]: [string, RelatedLink]): string {
  const rows = [...records].map(([text, { version }]) => `${JSON.stringify(text)}:${JSON.stringify(version)}`)
  return `${name}${expanded ? '+' : ''} ${rows.join(' ')} (${nested.versions})`
}

/** The key a link leads to, or `undefined` where a part of it is null. */
export function linkedKey(target: Mounted, link: Extract<Link, { kind: 'to' }>, record: unknown): KeyValue | undefined {
  if (!isObject(record)) return undefined
  const parts = link.by.map((member) => record[member])
  if (parts.some((part) => part === null || part === undefined)) return undefined
  return target.plan.key.from(parts as (string | number | boolean)[])
}
