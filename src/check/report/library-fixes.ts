/**
 * Describes for each clause how a service can comply with the clause by using this library. Reports
 * show this description after the fix that does not need the library.
 */
import type { ClauseId } from '../../clauses.js'

const declared = 'Declare the resource with `defineResource()` and mount it with `api()` or `resourceRouter()`'

/**
 * One to three sentences for each clause. A name in backquotes with `()` is an export of the
 * package, except for the method `over()`.
 */
export const libraryFixes: Readonly<Record<ClauseId, string>> = {
  'PATH-1': 'Mount the resources in `versions` of `api()`, or use `versions()` for hand-written routers.',
  'PATH-2': '`defineResource()` refuses a singular name and proposes the plural.',
  'PATH-3': '`defineResource()` refuses verbs in names. Declare the action in `flags`, or as an `endpoint()`.',
  'PATH-4': '`defineResource()` refuses formats in names. `recordAnswer()` chooses the format by `Accept`.',
  'PATH-5': 'Declare `parent` in the resource of the items. The router then builds the path.',
  'PATH-6': 'Declare the property in `filters` of `defineResource()`.',
  'PATH-7':
    'Declare `parent` in the resource of the items. The router then serves the list and its items below the parent.',
  'PATH-8': 'Declare the flag in `flags` of `defineResource()`, or add a documented `endpoint()`.',
  'PATH-9': 'Set `key` of `defineResource()` to the list of the members that form the id.',
  'PATH-10': '`defineResource()` checks names when the service starts.',
  'PATH-11': `${declared}. The router decodes each segment once, and case matters.`,
  'REP-1': 'Declare the association in `links` of `defineResource()`.',
  'REP-2':
    'Declare the association in `links` of `defineResource()`. Mount the target in the same version, or pass it in ' +
    'the option `related` of `resourceRouter()`.',
  'REP-3':
    'Declare each association in `links` of `defineResource()`. The router reads the targets in one batch per page.',
  'REP-4': 'Give the member the format `local-date-time` in the schema.',
  'REP-5': 'Set `baseUrl` of `api()` or `resourceRouter()` to the public address.',
  'REP-6': 'See `examples/pre-piezas`, which serves the records of the worked example in the conventions.',
  'REP-7': `${declared}. The router resolves and checks links in bodies.`,
  'REP-8': `${declared}, or use \`recordBody()\` and \`recordAnswer()\`. Both follow the schema.`,
  'VERB-1': `${declared}, or send the records with \`recordAnswer()\`.`,
  'VERB-2': `${declared}. In a hand-written route, \`methodRules()\` requires \`Location\` on 201 and 202.`,
  'VERB-3': `${declared}. The adapter replaces the record in one atomic step.`,
  'VERB-4':
    'Declare `attachedTo` in the resource of the items. The router then adds an item to the sub-collection by PUT, ' +
    'and removes it by DELETE.',
  'VERB-5': 'Use a resource router, or `recordBody()`, whose `over()` merges the patch and validates the result.',
  'VERB-6': 'Use a resource router, or `methodRules()`, which removes the body from the response to DELETE.',
  'VERB-7': 'Use a resource router, or `methodRules()` with `on: "collection"`.',
  'VERB-8': 'Use a resource router, or `methodRules()` with `on: "item"`.',
  'VERB-9': 'Use a resource router, or `methodRules()` with the methods in `allow`.',
  'VERB-10': 'Use a resource router, or call `sendTag()` before the response is sent.',
  'VERB-11': `${declared}, with \`publicToken()\` in \`authenticate\`.`,
  'VERB-12': 'Use an adapter that stores idempotency keys, such as `postgresAdapter()` with `idempotency`.',
  'VERB-13': `${declared}. If a part of the response cannot be built after a change, the router omits this part.`,
  'QUERY-1': 'Declare `filters` in `defineResource()`. Hand-written routes use `listQuery()`.',
  'QUERY-2':
    'Declare `sort` in `defineResource()`. The router sorts by the key last. Hand-written routes use `listQuery()`.',
  'QUERY-3': 'Declare `search` in `defineResource()`.',
  'QUERY-4': 'Use a resource router, or `listQuery()`.',
  'QUERY-5': 'Use a resource router, or `listQuery()`. The maximum of `limit` is an option of both.',
  'QUERY-6': 'Declare the association in `links` of `defineResource()`.',
  'QUERY-7': 'Use a resource router, or `listQuery()` with `totalCount()`.',
  'QUERY-8': 'Use a resource router, or `listQuery()`. Use `noQuery()` for routes without parameters.',
  'HDR-1': 'Use a resource router, or `recordAnswer()`. `negotiate()` serves other media types.',
  'HDR-2': 'Use a resource router, or `sendTag()` with the version of the record.',
  'HDR-3':
    'Use a resource router, whose adapters compare the version and write in one atomic step. ' +
    'Hand-written routes use `ifMatch()` and `checkVersion()`, and throw `preconditionFailed()` if the ' +
    'compare-and-set changes no row.',
  'HDR-4': 'Use a resource router, or `sendTag()`, which answers 304 by itself.',
  'HDR-5': 'Use a resource router, or `recordBody()`.',
  'HDR-6':
    'Authenticate with `bearer()` or `publicToken()`, which set `Cache-Control`. `problems()` sets it for errors.',
  'HDR-7': 'Use `crossOrigin()`.',
  'HDR-8': 'Use a resource router. Its tag depends on everything that determines the bytes of the body.',
  'AUTH-1': 'Use `bearer()`.',
  'AUTH-2': 'Use `login()`.',
  'AUTH-3': 'Use `publicToken()`.',
  'AUTH-4': 'Use `bearer()` with `scopePermission()`. In hand-written routes, pass `permission` to `methodRules()`.',
  'AUTH-5': 'Use `bearer()` or `publicToken()` with `keys`. Each key accepts one algorithm, and `exp` is required.',
  'AUTH-6': 'Use `login()` and `hashPassword()`.',
  'ERR-1': 'Throw an `HttpProblem` and use `problems()`, which sends only the statuses of the conventions.',
  'ERR-2': 'Use a resource router, or `recordBody()`.',
  'ERR-3': 'Throw an `HttpProblem` and put `problems()` behind all routes.',
  'LIMIT-1': 'Use `rateLimit()`.',
  'VER-1': 'Declare the versions in `api()`, or use `versions()`.',
  'VER-2': 'Declare the version as `retired` in `api()` or `versions()`.',
  'VER-3': 'Set `deprecated` and `sunset` of the version in `api()` or `versions()`.',
}
