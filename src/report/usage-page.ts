/** Serves the usage report of a service to callers who have permission to read it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { decide, type Permission } from '../auth/permission.js'
import { Caches } from '../cache.js'
import { negotiator } from '../http/accept.js'
import { parseQueryString } from '../http/query-string.js'
import { splitTarget } from '../http/targets.js'
import { principals } from '../middleware/authenticate.js'
import type { Middleware } from '../middleware/middleware.js'
import { checkArgument, checkOptions } from '../options/check.js'
import { type Kinds, withMethod } from '../options/kinds.js'
import { HttpProblem, Unavailable } from '../problem.js'
import { send } from '../representation/answer.js'
import { UnkeptDays, type Usage } from '../usage/usage.js'
import { header, mediaType } from '../wire.js'
import { pagePolicy, reportPage } from './html-page.js'
import { reportOf, type UsageReport } from './report.js'

export interface UsagePageOptions<P = unknown> {
  /**
   * Decides which principals may read the report. The function has the same form as the option
   * `permission` of `api`. It is called with the action `read` and the name in the option
   * `resource`.
   */
  readonly permission: Permission<P>
  /** The name of the resource for `permission`. Default `usage`. */
  readonly resource?: string
}

export const usagePageKinds: Kinds<UsagePageOptions> = { permission: { required: 'function' }, resource: 'string' }

const html = 'text/html'
const choose = negotiator([mediaType.json, html], new Caches(false))

/**
 * Creates a middleware that serves the report for GET and HEAD. The report is JSON by default, and
 * an HTML page without scripts for clients that prefer HTML (HDR-1). `?days=7` sets the number of
 * days that the report covers. Default 30, or fewer if counts are kept for fewer days. Mount an
 * authenticating middleware before this middleware (AUTH-4). Errors are passed to `next`, so mount
 * `problems()` after this middleware.
 *
 * @throws ConfigurationError `invalid-option` if `usage` or an option is invalid
 *
 * @example
 * app.use(
 *   '/ops/usage',
 *   authenticated,
 *   usagePage(counts, { permission: ({ role }) => (role === 'ops' ? 'allow' : 'forbidden') }),
 * )
 */
export function usagePage<P = unknown>(usage: Usage, options: UsagePageOptions<P>): Middleware {
  checkArgument('the first argument of usagePage()', usage, withMethod('the result of usage()', 'read'))
  checkOptions('usagePage()', options, usagePageKinds as Kinds<UsagePageOptions<P>>)
  const { permission, resource = 'usage' } = options
  return function usagePageMiddleware(req, res, next) {
    answer(req, res).catch(next)
  }

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { principal } = principals.of(req)
    const decision = await decide(permission as Permission, principal, { action: 'read', resource })
    if (decision !== 'allow') throw new HttpProblem('forbidden')
    const { method } = req
    if (method !== 'GET' && method !== 'HEAD')
      throw new HttpProblem('method-not-allowed', { headers: { [header.allow]: 'GET, HEAD' } })
    const type = choose(req.headers.accept)
    if (type === undefined)
      throw new HttpProblem('unsupported-accept', {
        detail: `The report is available as ${mediaType.json} and ${html}.`,
      })
    const report = await read(usage, daysOf(req))
    const isPage = type === html
    const headers: Record<string, string> = {
      [header.contentType]: isPage ? `${html}; charset=utf-8` : mediaType.json,
      [header.cacheControl]: 'no-store',
      [header.vary]: header.accept,
      [header.typeOptions]: 'nosniff',
      [header.contentSecurityPolicy]: pagePolicy,
    }
    send(res, { status: 200, headers, body: isPage ? reportPage(report) : JSON.stringify(report) }, method === 'HEAD')
  }
}

function daysOf(req: IncomingMessage): number | undefined {
  const { pairs, malformed } = parseQueryString(splitTarget(req.url ?? '/').query)
  if (pairs.length === 0 && malformed.length === 0) return undefined
  const [pair, ...others] = pairs
  const days = Number(pair?.[1])
  if (pair?.[0] !== 'days' || others.length > 0 || malformed.length > 0 || !/^\d{1,3}$/.test(pair[1]) || days < 1)
    throw new HttpProblem('invalid-query', {
      detail: 'The only parameter is "days", a whole number from 1 to 999, such as ?days=7.',
    })
  return days
}

async function read(usage: Usage, days: number | undefined): Promise<UsageReport> {
  try {
    return reportOf(await usage.read(days === undefined ? {} : { days }))
  } catch (error) {
    if (error instanceof UnkeptDays) throw new HttpProblem('invalid-query', { detail: error.message })
    throw new Unavailable({ cause: error, detail: 'The counts cannot be read at present.' })
  }
}
