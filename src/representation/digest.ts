/** What stands for texts in entity tags (HDR-2). */
import etag from 'etag'
import { RecentMap } from '../recent-map.js'

/** The length of a text and 27 characters of its hash: of the `etag` library, without its quotes, in an alphabet without dots and plus signs. */
export const digest = (text: string | Buffer): string => etag(text).slice(1, -1).replaceAll('+', '_').replaceAll('/', '-')

const recent = new RecentMap<string, string>(2_000)
const longest = 200

/** The same for a text that comes again and again, such as the version of what many records link to: a hash takes 3 us, a look 0.1. */
export function knownDigest(text: string): string {
  const known = recent.get(text)
  if (known !== undefined) return known
  const made = digest(text)
  if (text.length <= longest) recent.set(text, made)
  return made
}
