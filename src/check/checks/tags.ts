/** Checks of entity tags and of 304 (HDR-2, HDR-4). */
import { parseTagList } from '../../http/entity-tags.js'
import { header } from '../../wire.js'
import type { ListCheck } from '../check.js'
import type { Exchange } from '../client/exchange.js'
import type { Listing } from '../listing.js'
import { breaks, breaksBy, holds, NotApplicable, type Outcome, Unchecked } from '../verdict.js'
import { describe, expectStatus, firstBreak } from './expecting.js'
import { needsGet } from './items.js'

/** The entity tag of a response. */
const tagOf = ({ answer }: Exchange): string | undefined => answer.field(header.etag)

async function anItem(list: Listing): Promise<Exchange> {
  needsGet(list)
  const exchange = await list.send('GET', await list.anItem())
  if (exchange.answer.status !== 200) throw new Unchecked(`GET of an item got ${exchange.answer.status}`)
  return exchange
}

const asked = (list: Listing, { request }: Exchange, field: string): Promise<Exchange> =>
  list.service.client.send('GET', request.url, { headers: { [header.ifNoneMatch]: field } })

export const tagChecks: readonly ListCheck[] = [
  {
    id: 'HDR-2/item',
    rule: 'An item has a strong, well-formed `Etag`.',
    why: 'Clients send the tag back in `If-Match`, so that no update is lost.',
    fix: "Send each item with a strong tag in quotes. Make the tag from the item's version or from its bytes.",
    async run(list) {
      const exchange = await anItem(list)
      const tag = tagOf(exchange)
      if (tag === undefined)
        return breaksBy({ kind: 'no-field', answer: 0, name: header.etag }, 'a field Etag', 'none', exchange)
      if (tag.startsWith('W/')) return breaks('a strong tag', tag, exchange)
      return parseTagList(tag)?.tags.length === 1 ? holds : breaks('one tag in quotes', tag.slice(0, 80), exchange)
    },
  },
  {
    id: 'HDR-2/compressed',
    needs: ['HDR-2/item'],
    rule: 'The `Etag` of an item is strong even if the client accepts compressed responses.',
    why: 'Browsers and most clients send `Accept-Encoding: gzip`. With a weak tag, each of their updates gets 412.',
    fix: 'Compress in the service, without changing the tag. nginx and HAProxy weaken the tag when they compress.',
    async run(list) {
      needsGet(list)
      const path = await list.anItem()
      const exchange = await list.send('GET', path, { headers: { [header.acceptEncoding]: 'gzip' } })
      const tag = tagOf(exchange)
      if (exchange.answer.status !== 200) throw new Unchecked(`GET of an item got ${exchange.answer.status}`)
      if (tag !== undefined && !tag.startsWith('W/')) return holds
      return breaks('a strong tag', tag ?? 'none', exchange)
    },
  },
  {
    id: 'HDR-2/stable',
    rule: 'The tag does not change while the item does not change.',
    why: 'If the tag changes and the item does not, the service refuses updates with the earlier tag.',
    fix: 'Make the tag from the stored version or from the bytes, not from the time of the request.',
    async run(list) {
      const first = await anItem(list)
      if (tagOf(first) === undefined) throw new NotApplicable('items have no tags')
      const second = await list.service.client.send('GET', first.request.url)
      if (first.answer.body !== second.answer.body) throw new Unchecked('the item changed while it was read')
      return tagOf(first) === tagOf(second)
        ? holds
        : breaksBy(
            { kind: 'unequal', answers: [0, 1], name: header.etag },
            `${tagOf(first)} again`,
            String(tagOf(second)),
            first,
            second,
          )
    },
  },
  {
    id: 'HDR-2/list',
    rule: 'A list has a tag if the document promises one.',
    why: 'Clients that poll a list download it again only if it has changed.',
    fix: 'Give lists a tag that is computed from their bytes.',
    async run(list) {
      if (!list.target.tagged) throw new NotApplicable('the document promises no tag for the list')
      const exchange = await list.list()
      if (exchange.answer.status !== 200) throw new Unchecked(`GET of the list got ${exchange.answer.status}`)
      return tagOf(exchange) === undefined ? breaks('a field Etag', 'none', exchange) : holds
    },
  },
  {
    id: 'HDR-4/item',
    rule: 'GET of an item with its tag in `If-None-Match` returns 304 without a body.',
    why: 'Clients and caches need not download a representation that they already have.',
    fix: 'Compare If-None-Match weakly with the current tag, and answer 304.',
    run: async (list) => notModified(list, await anItem(list)),
  },
  {
    id: 'HDR-4/list',
    rule: 'GET of a list with its tag in `If-None-Match` returns 304 without a body.',
    why: 'Clients that poll a list download it again only if it has changed.',
    fix: 'Give lists a tag that is computed from their bytes, and compare If-None-Match with this tag.',
    async run(list) {
      const exchange = await list.list()
      if (exchange.answer.status !== 200) throw new Unchecked(`GET of the list got ${exchange.answer.status}`)
      return notModified(list, exchange)
    },
  },
  {
    id: 'HDR-4/modified',
    rule: 'With a tag other than the current one in `If-None-Match`, the response is 200.',
    why: 'A client with an old representation must get the new one.',
    fix: 'Answer 304 only if If-None-Match contains the current tag, or is `*`.',
    async run(list) {
      const exchange = await asked(list, await anItem(list), '"no-such-tag"')
      return expectStatus(exchange, [200], 'a tag that is not the current one') ?? holds
    },
  },
]

/**
 * Checks that the response is 304 without a body if `If-None-Match` is the tag, a list with the
 * tag, the weak form of the tag, or `*`.
 */
async function notModified(list: Listing, exchange: Exchange): Promise<Outcome> {
  const tag = tagOf(exchange)
  if (tag === undefined) throw new NotApplicable('the response has no tag')
  const strong = tag.replace(/^W\//, '')
  const found = await firstBreak([tag, `"x", ${strong}`, `W/${strong}`, '*'], async (field) => {
    const again = await asked(list, exchange, field)
    const { status, body } = again.answer
    if (status === 304 && body === '') return undefined
    // A different tag means that the resource has changed in the meantime.
    if (status === 200 && tagOf(again) !== tag) throw new Unchecked('the resource changed while it was read')
    const sign = { kind: 'status', answer: 1, expected: [304] } as const
    return breaksBy(sign, `304 for If-None-Match: ${field}`, describe(again), exchange, again)
  })
  return found ?? holds
}
