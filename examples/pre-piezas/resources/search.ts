/**
 * `search?q=` searches several collections at once. The search is not a resource, so it is declared
 * with `endpoint()` (PATH-8).
 */
import { type Adapter, type Endpoint, type EndpointCall, endpoint, HttpProblem } from 'express-rest-conventions'
import { segment } from '../addresses.js'
import type { Cliente } from './clientes.js'
import type { Contrato } from './contratos.js'
import type { PrePieza } from './pre-piezas.js'

/** One result, with the URL and the title of the record that was found. */
interface Hallazgo {
  readonly coleccion: string
  readonly href: string
  readonly titulo: string
}

const hallazgo = {
  type: 'object',
  title: 'Hallazgo',
  required: ['coleccion', 'href', 'titulo'],
  properties: {
    coleccion: { type: 'string', enum: ['clientes', 'contratos', 'pre-piezas'] },
    href: { type: 'string', format: 'uri', maxLength: 2_000 },
    titulo: { type: 'string', maxLength: 1_000 },
  },
} as const

export interface Searched {
  readonly prePiezas: Adapter<PrePieza, number>
  readonly contratos: Adapter<Contrato, string>
  readonly clientes: Adapter<Cliente, number>
}

const usual = 10
const maxLimit = 100

export function search({ prePiezas, contratos, clientes }: Searched): Endpoint {
  return endpoint('search', {
    description:
      'Searches clients, contracts and pre-pieces for the text in `q`. ' +
      'Returns the best results of each collection as { coleccion, href, titulo }. ' +
      '`limit` is the maximum number of results of each collection.',
    methods: {
      GET: {
        query: {
          properties: { q: { type: 'string' }, limit: { type: 'integer', minimum: 1, maximum: maxLimit } },
          required: ['q'],
        },
        describe: {
          operationId: 'search',
          summary: 'Search clients, contracts and pre-pieces',
          responses: {
            200: {
              description: 'The best results of each collection.',
              schema: { type: 'array', items: hallazgo, maxItems: 3 * maxLimit },
            },
          },
        },
        async handle(request) {
          // Collections that the caller is not allowed to list are not searched.
          const find = finder(request)
          const found = await Promise.all([
            find('clientes', clientes, ({ id, razonSocial }) => [id, razonSocial]),
            find('contratos', contratos, ({ codigoDeContratoInterno: codigo, descripcion }) => [codigo, descripcion]),
            find('pre-piezas', prePiezas, ({ numero, numeroDeEnvio, destinoInformado: { ciudad } }) => [
              numero,
              `${numeroDeEnvio} (${ciudad})`,
            ]),
          ])
          return found.flat()
        },
      },
    },
  })
}

function finder({ base, callOf, may, query }: EndpointCall<{ q: string; limit?: number }>) {
  const request = { where: [], search: query.q, sort: [], page: 1, size: query.limit ?? usual, offset: 0 }
  return async <T, K>(
    coleccion: string,
    adapter: Adapter<T, K>,
    describe: (value: T) => [id: string | number, titulo: string],
  ): Promise<Hallazgo[]> => {
    if (!(await may('list', coleccion))) return []
    const { items, refused } = await adapter.list(request, callOf(coleccion))
    if (refused !== undefined) throw invalid(`"q" ${refused.why}.`)
    return items.map(({ value }) => {
      const [id, titulo] = describe(value)
      return { coleccion, href: `${base}/${coleccion}/${segment(id)}`, titulo }
    })
  }
}

const invalid = (detail: string): HttpProblem =>
  new HttpProblem('invalid-query', { detail, errors: [{ parameter: 'q', detail, code: 'rule', clause: 'QUERY-3' }] })
