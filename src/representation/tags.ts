/** Strong entity tags from row versions (HDR-2): `"<version>.<digest>"`, where the digest stands for everything else that shapes the bytes. */
import etag from 'etag'
import type { Page, Stored } from '../adapters/contract.js'
import { formatTag } from '../http/entity-tags.js'
import { keyOf } from '../plan/resource-plan.js'
import type { Mounted } from '../plan/routes.js'
import type { Representation } from './encoding.js'
import type { Related } from './related.js'

/** What of a request shapes the bytes of a representation. */
export interface Variant {
  /** The absolute address that links begin with. */
  readonly base: string
  readonly representation: Representation
  readonly expand: readonly string[]
}

/** The tag of an item. */
export function itemTag(variant: Variant, mounted: Mounted, { version }: Stored<unknown>, related: Related): string {
  const common = variantDigest(variant, mounted)
  return formatTag(version, related.versions === '' ? common : digest(`${common}\n${related.versions}`))
}

/** What of a page shapes its answer beside the records and the variant. */
export interface PageVariant extends Variant {
  /** The raw query: another page, filter or expansion is another list. */
  readonly query: string
}

/** The tag of a page: its query, its items in order, the records in them, the total and whether there is more, so that none of them changes behind a 304 (HDR-4). */
export function pageTag(variant: PageVariant, mounted: Mounted, { items, total, exact, more }: Page<unknown>, related: Related): string {
  const { key } = mounted.plan
  const rows = items.map(({ value, version }) => JSON.stringify([key.text(keyOf(mounted.plan, value)), version]))
  const whole = [
    variantDigest(variant, mounted),
    variant.query,
    `${exact === false ? 'about' : ''}${more ?? ''}`,
    rows.join(''),
    related.versions,
  ]
  return formatTag(`${total ?? ''}`, digest(whole.join('\n')))
}

/** The tag of a value that has no version: of its bytes. */
export const bodyTag = (body: string | Uint8Array): string => `"${digest(typeof body === 'string' ? body : Buffer.from(body))}"`

/** Digests of variants, per resource: few are in use at a time, and a client that varies its Host must not fill the memory. */
const known = new WeakMap<Mounted, Map<string, string>>()
const mostKnown = 64

function variantDigest({ base, representation, expand }: Variant, mounted: Mounted): string {
  const name = `${base} ${representation.variant} ${expand.join(',')}`
  const digests = digestsOf(mounted)
  const found = digests.get(name)
  if (found !== undefined) return found
  const made = digest(`${mounted.plan.digest} ${name}`)
  if (digests.size >= mostKnown) digests.clear()
  digests.set(name, made)
  return made
}

function digestsOf(mounted: Mounted): Map<string, string> {
  const found = known.get(mounted)
  if (found !== undefined) return found
  const made = new Map<string, string>()
  known.set(mounted, made)
  return made
}

/** The length of a text and 27 characters of its hash: of the `etag` library, without its quotes, in an alphabet without dots and plus signs. */
const digest = (text: string | Buffer): string => etag(text).slice(1, -1).replaceAll('+', '_').replaceAll('/', '-')
