/**
 * Composes the service (the private API, the public API and the probes) from open stores. This
 * module does not start a server. `serve.ts` and the tests do that.
 */

import type { IncomingMessage } from 'node:http'
import express, { type Express } from 'express'
import { type Adapter, type Api, api, type Endpoint, type Mount, mount, problems } from 'express-rest-conventions'
import { bearer, login, publicToken, tokenIssuer } from 'express-rest-conventions/auth'
import { docsPages } from 'express-rest-conventions/docs'
import { crossOrigin, type RateLimit, rateLimit } from 'express-rest-conventions/middleware'
import { type Check, type HealthCheck, health } from 'express-rest-conventions/server'
import { csv } from 'express-rest-conventions/transfer'
import { type Access, callerOf, permission } from './access.js'
import type { Counters } from './counters.js'
import { generateSucursales } from './data/generator.js'
import { asClientesV1, clientes, clientesV1 } from './resources/clientes.js'
import { codigosPostales, codigosPostalesInCsv } from './resources/codigos-postales.js'
import { componentes } from './resources/componentes.js'
import { contratos } from './resources/contratos.js'
import { prePiezas } from './resources/pre-piezas.js'
import { search } from './resources/search.js'
import { sucursalesRouter } from './resources/sucursales.js'
import { sucursalesDescribed } from './resources/sucursales-described.js'
import type { Settings } from './settings.js'
import type { Stores } from './store/stores.js'

export interface Service {
  readonly app: Express
  /** Rejects if a store is not ready. Call it before listening. */
  readonly ready: () => Promise<void>
  /**
   * The private API (`inside`) and the public API (`outside`). Their OpenAPI documents are
   * generated from these objects.
   */
  readonly apis: { readonly inside: Api; readonly outside: Api }
}

/** The dependencies of the service. */
export interface Ground {
  readonly stores: Stores
  readonly access: Access
  readonly counters: Counters
}

type ServiceSettings = Pick<Settings, 'baseUrl' | 'rateLimit'>

export function createService(settings: ServiceSettings, ground: Ground): Service {
  const inside = privateApi(settings, ground)
  const outside = publicApi(settings, ground)
  const app = express()
  app.disable('x-powered-by')
  // A path has only one spelling (PATH-11). By default, Express would accept `/PUBLIC` for
  // `/public`.
  app.set('case sensitive routing', true)
  // Mounted before any middleware that could refuse a probe.
  app.use(health({ checks: checksOf(ground), shows: isOperator }))
  app.use(inside)
  app.use('/public', outside)
  app.use(problems())
  return {
    app,
    apis: { inside, outside },
    async ready() {
      await inside.ready()
      await outside.ready()
    },
  }
}

/**
 * The health checks of the service. If Redis is unavailable, its check reports this, but the
 * process stays ready, because requests are also served without Redis.
 */
const checksOf = ({ stores, counters }: Ground): Readonly<Record<string, Check | HealthCheck>> => ({
  database: stores.ask,
  ...(counters.ask === undefined ? {} : { redis: { check: counters.ask, required: false } }),
})

/**
 * Whether the response to a request may show the results of the checks. The request must come from
 * this machine, must accept JSON, and must have no `X-Forwarded-For`, because proxies add that
 * field. An example is `curl -H 'Accept: application/json' localhost:3000/ready`.
 */
const isOperator = ({ socket, headers }: IncomingMessage): boolean =>
  headers.accept?.includes('json') === true &&
  headers['x-forwarded-for'] === undefined &&
  /^(?:::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '')

/** The description of the service in both OpenAPI documents. */
const info = {
  version: '1.0.0',
  description: 'The worked example of the conventions: pieces that are to be delivered, their contracts and clients.',
  license: { name: 'MIT', identifier: 'MIT' },
  contact: { name: 'The team of the pre-pieces', email: 'pre-piezas@example.com' },
} as const

/**
 * The docs pages of both APIs, such as `/v8/docs` and `/public/v1/docs`. The option `console` needs
 * the package `swagger-ui-dist`.
 */
const pages = docsPages({ console: true })

/**
 * `/v1` and `/v8`, for callers with a Bearer token. The two versions have different `clientes`, and
 * share all other resources. Scripts of any origin may call both versions. This is safe, because
 * browsers do not send such tokens by themselves.
 */
function privateApi({ baseUrl, ...settings }: ServiceSettings, { stores, access, counters }: Ground): Api {
  const shared: readonly (Mount | Endpoint)[] = [
    mount(prePiezas, stores.prePiezas),
    mount(componentes, stores.componentes),
    mount(contratos, stores.contratos, {
      exports: { formats: [csv({ escapeFormulas: true, fileName: 'contratos.csv' })] },
    }),
    mount(codigosPostales, stores.codigosPostales, { representations: [codigosPostalesInCsv] }),
    search(stores),
  ]
  const routes = sucursalesRouter(generateSucursales(), { permission, baseUrl })
  return api({
    baseUrl,
    authenticate: bearer({ keys: access.key, principal: callerOf, realm: 'pre-piezas' }),
    permission,
    cors: crossOrigin({ origins: '*' }),
    jsonPatch: true,
    describe: { info: { ...info, title: 'Pre-piezas' }, public: true, pages, fragments: [sucursalesDescribed] },
    ...limited('private', settings, counters),
    versions: {
      v8: { resources: [...shared, mount(clientes, stores.clientes)], routes },
      v1: {
        resources: [...shared, mount(clientesV1, asClientesV1(stores.clientes))],
        routes,
        deprecated: '2026-01-01',
        sunset: '2027-12-31',
        successor: 'v8',
      },
      v0: 'retired',
    },
  })
}

/**
 * `/public/login` and `/public/v1`. Callers can create, read and delete pre-pieces. They can also
 * read contracts, clients, postal codes and components, and list the components of a pre-piece.
 */
function publicApi({ baseUrl, ...settings }: ServiceSettings, { stores, access, counters }: Ground): Api {
  const { key, publicAudience: audience, find } = access
  return api({
    baseUrl: baseUrl && `${baseUrl}/public`,
    login: login({ find, token: tokenIssuer({ key, audience }), ...counters.optionsOf?.('login') }),
    authenticate: publicToken({ keys: key, audience, principal: callerOf, realm: 'pre-piezas' }),
    permission,
    cors: crossOrigin({ origins: '*' }),
    describe: { info: { ...info, title: 'Pre-piezas, public side' }, public: true, pages },
    ...limited('public', settings, counters),
    versions: {
      v1: [
        mount(prePiezas, stores.prePiezas, { collection: ['POST'], item: ['GET', 'DELETE'] }),
        // A pre-piece links to the list of its components, so components can be listed, too.
        mount(componentes, readOnly(stores.componentes)),
        mount(contratos, readOnly(stores.contratos), { collection: [] }),
        mount(clientes, readOnly(stores.clientes), { collection: [] }),
        mount(codigosPostales, readOnly(stores.codigosPostales), { collection: [] }),
      ],
    },
  })
}

/** The limit of requests per minute and principal. 0 means no limit. */
function limited(
  side: string,
  { rateLimit: limit }: Pick<Settings, 'rateLimit'>,
  counters: Counters,
): { rateLimit?: RateLimit } {
  return limit === 0 ? {} : { rateLimit: rateLimit({ limit, ...counters.optionsOf?.(side) }) }
}

/**
 * Returns an adapter of the same data without write methods. A request that would need a write
 * method gets 405. This also applies to requests for flags and sub-collections.
 */
function readOnly<T, K>({ list, read }: Adapter<T, K>): Adapter<T, K> {
  return { list, read }
}
