/**
 * Checks of caching, and of `Vary`, which names the request header fields on which a response
 * depends (HDR-1, HDR-4, HDR-6).
 */
import { header, mediaType } from '../../wire.js'
import type { ListCheck } from '../check.js'
import type { Exchange } from '../client/exchange.js'
import { carrierOf } from '../client/principals.js'
import type { Listing } from '../listing.js'
import { breaks, holds, NotApplicable, Unchecked } from '../verdict.js'
import { privatePaths } from './access.js'
import { describe, firstBreak } from './expecting.js'

/** Whether `Vary` contains the name of a request header field, or `*`. */
const varies = ({ answer }: Exchange, name: string): boolean =>
  (answer.field(header.vary) ?? '')
    .split(',')
    .map((one) => one.trim().toLowerCase())
    .some((one) => one === '*' || one === name.toLowerCase())

const isStored = ({ answer }: Exchange): boolean => !/\bno-store\b/i.test(answer.field(header.cacheControl) ?? '')

/**
 * The header fields that a 304 must have if the 200 has them. A cache updates its stored response
 * with these fields (RFC 9110 15.4.5).
 */
const fieldsOf304 = [header.etag, header.cacheControl, header.vary]

export const cachingChecks: readonly ListCheck[] = [
  {
    id: 'HDR-1/vary',
    needs: ['HDR-1/accept'],
    rule: 'A response that exists in several media types names `Accept` in `Vary`.',
    why: 'Otherwise a cache could return XML to a client that asks for JSON.',
    fix: 'Send Vary: Accept.',
    async run(list) {
      if (!list.target.media.includes(mediaType.xml))
        throw new NotApplicable(`${list.target.template} is not available in XML`)
      const exchange = await list.list()
      if (!isStored(exchange) || varies(exchange, header.accept)) return holds
      return breaks('Accept in Vary', exchange.answer.field(header.vary) ?? 'none', exchange)
    },
  },
  {
    id: 'HDR-6/vary',
    needs: ['HDR-6/private'],
    rule: 'If a request has credentials, the response names the header field of the credentials in `Vary`.',
    why: 'Otherwise the cache of a browser serves one user the stored response of another.',
    fix: 'In Vary, name the header field that carries the token.',
    async run(list) {
      const paths = await privatePaths(list)
      const [first] = list.service.client.principals.values()
      if (first === undefined) throw new Unchecked('no token was given')
      const { name } = carrierOf(first)
      const found = await firstBreak(paths, async (path) => {
        const exchange = await list.send('GET', path)
        if (!isStored(exchange) || varies(exchange, name)) return undefined
        return breaks(`${name} in Vary`, exchange.answer.field(header.vary) ?? 'none', exchange)
      })
      return found ?? holds
    },
  },
  {
    id: 'HDR-4/fields',
    needs: ['HDR-4/item', 'HDR-4/list'],
    rule: 'A 304 has the `Etag`, `Vary` and `Cache-Control` of the 200.',
    why: 'A cache updates its stored response with the fields of a 304 (RFC 9110 15.4.5).',
    fix: 'Set these fields before deciding between 200 and 304.',
    async run(list) {
      const { full, again } = await revalidated(list, {})
      if (again.answer.status !== 304) throw new Unchecked('the list changed while it was read')
      const other = fieldsOf304.find((name) => full.answer.field(name) !== again.answer.field(name))
      if (other === undefined) return holds
      return breaks(`${other}: ${full.answer.field(other) ?? 'none'}`, again.answer.field(other) ?? 'none', full, again)
    },
  },
  {
    id: 'HDR-4/no-cache',
    needs: ['HDR-4/item', 'HDR-4/list'],
    rule: '`Cache-Control: no-cache` in a request does not prevent a 304.',
    why: 'Some clients, such as `fetch` of Node, send this field with every conditional request.',
    fix: 'Compare If-None-Match, regardless of the Cache-Control of the request.',
    async run(list) {
      const { full, again } = await revalidated(list, { [header.cacheControl]: 'no-cache' })
      if (again.answer.status === 304) return holds
      if (full.answer.field(header.etag) !== again.answer.field(header.etag))
        throw new Unchecked('the list changed while it was read')
      return breaks('304 for a request with Cache-Control: no-cache', describe(again), full, again)
    },
  },
]

/**
 * Requests the list, and then requests it again with its entity tag in `If-None-Match` and with
 * `headers`. Throws `NotApplicable` if the first response is not a 200 with a tag.
 */
async function revalidated(list: Listing, headers: Readonly<Record<string, string>>) {
  const full = await list.list()
  const tag = full.answer.field(header.etag)
  if (full.answer.status !== 200 || tag === undefined) throw new NotApplicable('the list has no tag')
  const again = await list.list('', { headers: { [header.ifNoneMatch]: tag, ...headers } })
  return { full, again }
}
