/**
 * Checks of CORS: preflights, and the header fields that scripts of other origins may read (HDR-7;
 * Fetch standard, "CORS protocol").
 */
import { exposedHeaders, header } from '../../wire.js'
import type { ListCheck } from '../check.js'
import type { Exchange } from '../client/exchange.js'
import { nobody } from '../client/exchange.js'
import { carrierOf } from '../client/principals.js'
import type { Listing } from '../listing.js'
import { breaks, holds, NotApplicable } from '../verdict.js'
import { describe } from './expecting.js'

/** The value of `Origin` in requests, unless a target file gives an origin. */
const anyOrigin = 'https://check.example'

const originOf = ({ service }: Listing): string => service.target.origin ?? anyOrigin

/** The names that a header field lists, in lower case. */
const namesIn = ({ answer }: Exchange, name: string): ReadonlySet<string> =>
  new Set((answer.field(name) ?? '').split(',').map((one) => one.trim().toLowerCase()))

const allowsOrigin = (exchange: Exchange, origin: string): boolean =>
  ['*', origin].includes(exchange.answer.field(header.allowOrigin) ?? '')

/**
 * Sends GET of the list with `Origin`, as a script of another origin would. Throws `NotApplicable`
 * if no target file gives an origin and the service does not allow `anyOrigin`.
 */
async function fromOrigin(list: Listing): Promise<Exchange> {
  const origin = originOf(list)
  const exchange = await list.list('', { headers: { Origin: origin } })
  if (!allowsOrigin(exchange, origin) && list.service.target.origin === undefined)
    throw new NotApplicable(
      `the service does not let scripts of ${origin} read its answers. If another origin is allowed, give it as ` +
        '"origin" in a target file',
    )
  return exchange
}

export const browserChecks: readonly ListCheck[] = [
  {
    id: 'HDR-7/preflight',
    rule: 'A preflight needs no token, and its response allows the methods and header fields of the conventions.',
    why: 'Browsers send preflights without credentials. If a preflight is refused, the request is not sent.',
    fix: 'Answer preflights before authentication, with Access-Control-Allow-Methods and Access-Control-Allow-Headers.',
    async run(list) {
      await fromOrigin(list)
      const origin = originOf(list)
      const method = ['PATCH', 'PUT', 'DELETE'].find((one) => list.target.itemMethods.includes(one)) ?? 'GET'
      const fields = fieldsOf(list, method)
      const exchange = await list.send('OPTIONS', method === 'GET' ? list.path : await list.anItem(), {
        caller: nobody,
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': method,
          ...(fields.length === 0 ? {} : { 'Access-Control-Request-Headers': fields.join() }),
        },
      })
      const { status } = exchange.answer
      if (status < 200 || status > 299)
        return breaks('200 or 204 for a preflight without a token', describe(exchange), exchange)
      if (!allowsOrigin(exchange, origin))
        return breaks(
          `Access-Control-Allow-Origin: ${origin}, or *`,
          exchange.answer.field(header.allowOrigin) ?? 'none',
          exchange,
        )
      const methods = namesIn(exchange, 'Access-Control-Allow-Methods')
      // Browsers allow GET even if Access-Control-Allow-Methods does not list it.
      if (method !== 'GET' && !methods.has(method.toLowerCase()) && !methods.has('*'))
        return breaks(`${method} in Access-Control-Allow-Methods`, [...methods].join() || 'none', exchange)
      const allowed = namesIn(exchange, 'Access-Control-Allow-Headers')
      // The wildcard `*` does not include Authorization.
      const lacking = fields.find((one) => !allowed.has(one) && (one === 'authorization' || !allowed.has('*')))
      if (lacking === undefined) return holds
      return breaks(`${lacking} in Access-Control-Allow-Headers`, [...allowed].join() || 'none', exchange)
    },
  },
  {
    id: 'HDR-7/exposed',
    rule: 'Browser scripts can read the header fields that the conventions define.',
    why: 'Browsers hide tags, totals and links from scripts unless they are exposed.',
    fix: 'Name the fields in Access-Control-Expose-Headers.',
    async run(list) {
      const exchange = await fromOrigin(list)
      const origin = originOf(list)
      if (!allowsOrigin(exchange, origin))
        return breaks(
          `Access-Control-Allow-Origin: ${origin}, or *`,
          exchange.answer.field(header.allowOrigin) ?? 'none',
          exchange,
        )
      const exposed = namesIn(exchange, header.exposeHeaders)
      // For requests with cookies, browsers do not treat `*` as a wildcard.
      const hasAll = exposed.has('*') && exchange.answer.field(header.allowCredentials) !== 'true'
      const hidden = ofClause.find((one) => exchange.answer.field(one) !== undefined && !exposed.has(one.toLowerCase()))
      if (hasAll || hidden === undefined) return holds
      return breaks(
        `${hidden} in ${header.exposeHeaders}`,
        exchange.answer.field(header.exposeHeaders) ?? 'none',
        exchange,
      )
    },
  },
]

/**
 * The header fields that HDR-7 names. This library also exposes four fields that HDR-7 does not
 * name, and these are left out here.
 */
const ofClause = exposedHeaders.filter(
  (one) =>
    ![header.contentLocation, header.preferenceApplied, header.acceptPatch, header.requestId].includes(one as never),
)

/**
 * The names of the header fields that a script sends with a request. They are in lower case and
 * sorted, because browsers write them like this in Access-Control-Request-Headers.
 */
function fieldsOf({ service, target }: Listing, method: string): readonly string[] {
  const [first] = service.client.principals.values()
  const credential = target.secured && first !== undefined ? [carrierOf(first).name] : []
  const change = ['PATCH', 'PUT'].includes(method) ? [header.contentType, header.ifMatch] : []
  return [...credential, ...change].map((name) => name.toLowerCase()).sort()
}
