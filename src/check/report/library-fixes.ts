/**
 * Describes for each clause how a service can comply with the clause by using this library. Reports
 * show this description as the second fix of a violation.
 */
import type { ClauseId } from '../../clauses.js'

const declared = 'Declare the resource with `defineResource()` and mount it with `api()` or `resourceRouter()`'

/**
 * One or two sentences for each clause. A name in backquotes with `()` is an export of the package.
 */
export const libraryFixes: Readonly<Record<ClauseId, string>> = {
  'PATH-1': 'Put the routers into `versions` of `api()`, or use `versions()` for hand-written routers.',
  'PATH-2': '`defineResource()` refuses a singular name and proposes the plural.',
  'PATH-3': '`defineResource()` refuses verbs in names. Declare the action in `flags`, or as an `endpoint()`.',
  'PATH-4': '`defineResource()` refuses formats in names. `recordAnswer()` chooses the format by `Accept`.',
  'PATH-5': 'Declare the child with `parent`: the router builds its address.',
  'PATH-6': 'Declare the property in `filters` of `defineResource()`.',
  'PATH-7': 'Declare the child with `parent`: the router serves its list and its items.',
  'PATH-8': 'Declare the flag in `flags` of `defineResource()`, or an `endpoint()` with its documentation.',
  'PATH-9': 'Give `key` of `defineResource()` the list of the parts.',
  'PATH-10': '`defineResource()` checks names when the service starts.',
  'PATH-11': `${declared}: its router matches each address exactly and decodes it once.`,
  'REP-1': 'Declare the association in `links` of `defineResource()`.',
  'REP-2':
    'Declare the association in `links` of `defineResource()`, and mount the target beside it or name it in `related`.',
  'REP-3': 'Declare each association in `links` of `defineResource()`: they are read in one batch per page.',
  'REP-4': 'Give the member the format `local-date-time` in the schema.',
  'REP-5': 'Set `baseUrl` of `api()` or `resourceRouter()` to the public address.',
  'REP-6': 'See `examples/pre-piezas`, which serves these records.',
  'REP-7': `${declared}: links in bodies are resolved and checked.`,
  'REP-8': `${declared}, or use \`recordBody()\` and \`recordAnswer()\`: both follow the schema.`,
  'VERB-1': `${declared}, or send the records with \`recordAnswer()\`.`,
  'VERB-2': `${declared}. In a hand-written route \`methodRules()\` requires \`Location\` on 201.`,
  'VERB-3': `${declared}: PUT replaces the record in one step of the adapter.`,
  'VERB-4': 'Declare the child with `attachedTo`: the router attaches and detaches.',
  'VERB-5': 'Use a resource router, or `recordBody()`, whose `over()` merges the patch and validates the result.',
  'VERB-6': 'Use a resource router, or `methodRules()`, which keeps the body of a DELETE empty.',
  'VERB-7': 'Use a resource router, or `methodRules()` with `on: "collection"`.',
  'VERB-8': 'Use a resource router, or `methodRules()` with `on: "item"`.',
  'VERB-9': 'Use a resource router, or `methodRules()` with the methods in `allow`.',
  'VERB-10': 'Use a resource router, or `sendTag()` before the answer is sent.',
  'VERB-11': `${declared}, with \`publicToken()\` in \`authenticate\`.`,
  'VERB-12': 'Use an adapter that stores keys, such as `postgresAdapter()` with `idempotency`.',
  'VERB-13': `${declared}: parts that cannot be shown after a commit are omitted.`,
  'QUERY-1': 'Declare `filters` in `defineResource()`. Hand-written routes use `listQuery()`.',
  'QUERY-2':
    'Declare `sort` in `defineResource()`: the key is always the last field. Hand-written routes use `listQuery()`.',
  'QUERY-3': 'Declare `search` in `defineResource()`.',
  'QUERY-4': 'Use a resource router, or `listQuery()`.',
  'QUERY-5': 'Use a resource router, or `listQuery()`: its maximum is an option.',
  'QUERY-6': 'Declare the association in `links` of `defineResource()`.',
  'QUERY-7': 'Use a resource router, or `listQuery()` with `totalCount()`.',
  'QUERY-8': 'Use a resource router, or `listQuery()`, and `noQuery()` for routes without parameters.',
  'HDR-1': 'Use a resource router, or `recordAnswer()`. `negotiate()` serves other media types.',
  'HDR-2': 'Use a resource router, or `sendTag()` with the version of the record.',
  'HDR-3':
    'Use a resource router: its adapters compare and write in one step. ' +
    'Hand-written routes use `ifMatch()`, `checkVersion()`, and `preconditionFailed()` when the compare-and-set ' +
    'changes no row.',
  'HDR-4': 'Use a resource router, or `sendTag()`, which answers 304 by itself.',
  'HDR-5': 'Use a resource router, or `recordBody()`.',
  'HDR-6':
    'Authenticate with `bearer()` or `publicToken()`, which set `Cache-Control`. `problems()` sets it for errors.',
  'HDR-7': 'Use `crossOrigin()`.',
  'HDR-8': 'Use a resource router: its tag covers everything that shapes the bytes.',
  'AUTH-1': 'Use `bearer()`.',
  'AUTH-2': 'Use `login()`.',
  'AUTH-3': 'Use `publicToken()`.',
  'AUTH-4': 'Use `bearer()` with `scopePermission()`. Hand-written routes give `permission` to `methodRules()`.',
  'AUTH-5': 'Use `bearer()` or `publicToken()` with `keys`: algorithms are pinned and `exp` is required.',
  'AUTH-6': 'Use `login()` and `hashPassword()`.',
  'ERR-1': 'Throw an `HttpProblem` and use `problems()`: it answers with the statuses of the conventions only.',
  'ERR-2': 'Use a resource router, or `recordBody()`.',
  'ERR-3': 'Throw an `HttpProblem` and put `problems()` behind all routes.',
  'LIMIT-1': 'Use `rateLimit()`.',
  'VER-1': 'Put the versions into `api()`, or use `versions()`.',
  'VER-2': 'Declare the version as `retired` in `api()` or `versions()`.',
  'VER-3': 'Give the version `deprecated` and `sunset` in `api()` or `versions()`.',
}
