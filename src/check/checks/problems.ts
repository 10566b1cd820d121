/**
 * Checks of error responses: the members of the problem body, caching, and internals of the service
 * that the body must not reveal (ERR-3, HDR-6). Also checks that a query that cannot be decoded
 * gets 400 (ERR-2).
 */
import { isObject } from '../../definition/json.js'
import { header, parameter } from '../../wire.js'
import type { ListCheck } from '../check.js'
import type { Exchange } from '../client/exchange.js'
import { nobody } from '../client/exchange.js'
import type { Listing } from '../listing.js'
import { breaks, holds, type Outcome, Unchecked } from '../verdict.js'
import { expectStatus, firstBreak } from './expecting.js'

/**
 * The error responses to requests that the service must refuse: an unknown parameter (400), an
 * unsupported `Accept` (415), an item that does not exist (404) and missing credentials (401).
 * Requests that do not apply to the collection are not sent.
 */
const errorsOf = (list: Listing): Promise<readonly Exchange[]> => list.once('errors', () => askForErrors(list))

async function askForErrors(list: Listing): Promise<readonly Exchange[]> {
  const { target } = list
  const found = [
    await list.list('noSuchOne=1'),
    await list.list('', { headers: { [header.accept]: 'image/png' } }),
    ...(target.itemMethods.includes('GET') && target.key !== undefined
      ? [await list.send('GET', await list.aMissingItem())]
      : []),
    ...(target.secured ? [await list.list('', { caller: nobody })] : []),
  ]
  const errors = found.filter(({ answer }) => answer.status >= 400)
  if (errors.length === 0)
    throw new Unchecked('the service accepted every invalid request, so there is no error to check')
  return errors
}

const onErrors =
  (look: (exchange: Exchange) => Outcome | undefined) =>
  async (list: Listing): Promise<Outcome> =>
    (await firstBreak(await errorsOf(list), async (exchange) => look(exchange))) ?? holds

/** Patterns of strings that reveal internals of a service. */
const insides: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a JavaScript stack trace', /^\s*at .+:\d+:\d+\)?$/m],
  ['a JavaScript stack trace', /\\n\s+at .+:\d+:\d+/],
  ['a Python stack trace', /Traceback \(most recent call last\)/],
  ['a Java stack trace', /\bat (?:[a-z_]\w*\.){2,}\w+\([\w.]*:?\d*\)/],
  ['a file path on the server', /node_modules\/|\/home\/\w+\/|[A-Z]:\\\\?Users\\/],
  [
    'a message of a database driver',
    /\bSQLSTATE\b|syntax error at or near|\bORA-\d{5}\b|SQLITE_[A-Z]+|duplicate key value violates/,
  ],
]

export const problemChecks: readonly ListCheck[] = [
  {
    id: 'ERR-3/type',
    rule: 'The body of an error is `application/problem+json`.',
    why: 'Clients read the errors of all services in the same way.',
    fix: 'Send errors as problems (RFC 9457).',
    run: onErrors((exchange) => {
      const { status, type } = exchange.answer
      if (status === 410 || /^application\/problem\+(?:json|xml)$/.test(type)) return undefined
      return breaks(`application/problem+json with ${status}`, type === '' ? 'no media type' : type, exchange)
    }),
  },
  {
    id: 'ERR-3/members',
    rule: 'A problem has a `code`, and its `status` is the status of the response.',
    why: 'Programs distinguish errors by the member `code`, because the texts may change.',
    fix: 'Give each kind of error a stable `code`, and set `status` to the status of the response.',
    run: onErrors((exchange) => {
      const { json, status } = exchange.answer
      if (exchange.answer.type !== 'application/problem+json') return undefined
      if (!isObject(json)) return breaks('a JSON object', 'a body that is not a JSON object', exchange)
      if (typeof json.code !== 'string' || json.code === '')
        return breaks('a non-empty string in "code"', JSON.stringify(json.code) ?? 'none', exchange)
      if (json.status === status) return undefined
      return breaks(`"status": ${status}`, `"status": ${JSON.stringify(json.status) ?? '(absent)'}`, exchange)
    }),
  },
  {
    id: 'ERR-3/every-fault',
    needs: ['QUERY-8/unknown-parameter'],
    rule: 'The member `errors` of a problem lists all faults of the request.',
    why: 'Clients can fix all faults of a request at once.',
    fix: 'Collect all faults of a query before answering.',
    async run(list) {
      const exchange = await list.list('noSuchOne=1&noSuchOther=1')
      const wrong = expectStatus(exchange, [400], 'a query with two faults')
      if (wrong !== undefined) return wrong
      const errors = isObject(exchange.answer.json) ? exchange.answer.json.errors : undefined
      const count = Array.isArray(errors) ? errors.length : 0
      return count >= 2 ? holds : breaks('at least two entries in "errors"', String(count), exchange)
    },
  },
  {
    id: 'ERR-3/insides',
    rule: 'Errors reveal no internals of a service.',
    why: 'Stack traces and driver messages help only attackers.',
    fix: 'Answer unexpected errors with a generic problem, and log the cause.',
    async run(list) {
      const odd = ['%27%22%3B--', '%F0%9F%92%A5', encodeURIComponent('{"$gt":""}')]
      const names = [...list.target.filters.map(({ name }) => name), parameter.search, parameter.sort].filter((name) =>
        list.target.parameters.includes(name),
      )
      const hostile = names.slice(0, 6).flatMap((name) => odd.map((value) => `${encodeURIComponent(name)}=${value}`))
      const asked = await errorsOf(list)
      const found = await firstBreak(hostile, async (query) => leak(await list.list(query)))
      return found ?? (await firstBreak(asked, async (exchange) => leak(exchange))) ?? holds
    },
  },
  {
    id: 'ERR-2/undecodable',
    rule: 'A query that cannot be decoded gets 400.',
    why: 'The service must not guess the meaning of a malformed query.',
    fix: 'Answer 400 if the query is not percent-encoded UTF-8.',
    async run(list) {
      const found = await firstBreak(['%zz', `${parameter.size}=%ff`], async (query) =>
        expectStatus(await list.list(query), [400], `the query ${query}`),
      )
      return found ?? holds
    },
  },
  {
    id: 'HDR-6/errors',
    rule: 'No cache may store an error.',
    why: 'Otherwise a cache may repeat an error whose cause has already been removed.',
    fix: 'Send Cache-Control: no-store with every error.',
    run: onErrors((exchange) => {
      const control = exchange.answer.field(header.cacheControl) ?? ''
      if (/\bno-store\b/i.test(control)) return undefined
      return breaks(
        `Cache-Control: no-store with ${exchange.answer.status}`,
        control === '' ? 'no such field' : control,
        exchange,
      )
    }),
  },
]

function leak(exchange: Exchange): Outcome | undefined {
  const { status, body } = exchange.answer
  if (status < 400) return undefined
  const found = insides.find(([, pattern]) => pattern.test(body))
  return found === undefined ? undefined : breaks('an error that reveals no internals', found[0], exchange)
}
