/**
 * Tests of the checks of PATH-5 (in a path, the parent comes before its sub-collections) and PATH-6
 * (a path contains no filter). Most of the cases look like a violation, but must not count as one.
 */
import { expect, it } from 'vitest'
import { checkService } from '../../src/check/index.js'
import { serving } from './serving.js'

const common = {
  key: ['id'],
  methods: ['GET'],
  itemMethods: ['GET'],
  parameters: ['limit'],
  filters: [],
  first: 1,
  media: ['application/json'],
  nullable: [],
  writeOnly: [],
  secured: false,
  tagged: false,
  counted: false,
}

/**
 * The verdicts on PATH-5 and PATH-6 for a service that responds with these lists. `{origin}` in a
 * list stands for the origin of the service.
 */
async function verdictsOf(lists: Readonly<Record<string, unknown>>, more: object = {}) {
  const { origin, close } = await serving((req, res) => {
    const path = String(req.url).split('?')[0] as string
    const found = lists[path] ?? (path.startsWith('/v1/contracts/') ? {} : undefined)
    res.writeHead(found === undefined ? 404 : 200, { 'Content-Type': 'application/json' })
    res.end(JSON.stringify(found ?? {}).replaceAll('{origin}', `http://${req.headers.host}`))
  })
  const { results } = await checkService({
    base: `${origin}/v1`,
    target: {
      collections: [
        {
          ...common,
          template: '/customers',
          below: ['/customers/vip', '/customers/100%', '/customers/by-city/{city}'],
        },
        { ...common, template: '/contracts' },
        { ...common, template: '/customers/{id}/contracts', ...more },
      ],
    },
    rate: 100_000,
    only: ['PATH-5', 'PATH-6'],
  })
  await close()
  const of = (check: string, where: string) =>
    results.find((one) => one.check === check && one.where === where)?.outcome.verdict
  return [of('PATH-5/parent-first', '/customers/{id}/contracts'), of('PATH-6/filter', '/customers')]
}

/**
 * Customers, each with a list of contracts and a link to a main contract. `contracts` lists the
 * contract ids of each customer. `main` returns the id of a customer's main contract.
 */
const withContracts = (contracts: readonly (readonly number[])[], main: (at: number) => number) => ({
  '/v1/customers': contracts.map((_, at) => ({
    id: at,
    city: at === 0 ? 'Rosario' : 'Salta',
    contract: { href: `{origin}/v1/contracts/${main(at)}` },
  })),
  '/v1/contracts': contracts.flat().map((id) => ({ id })),
  ...Object.fromEntries(contracts.map((ids, at) => [`/v1/customers/${at}/contracts`, ids.map((id) => ({ id }))])),
})

const city = { '/v1/customers/by-city/Rosario': [{ id: 0, city: 'Rosario', contract: {} }] }
const shared = withContracts([[7], [7], [8]], (at) => [7, 7, 8][at] as number)

it.each([
  ['holds if a customer has several contracts', withContracts([[7, 8], [9]], () => 7), {}, 'holds'],
  ['holds if no customer links to a contract in its own list', withContracts([[7], [7], [8]], () => 9), {}, 'holds'],
  ['holds if contracts can be attached', shared, { itemMethods: ['GET', 'PUT', 'DELETE'] }, 'holds'],
  [
    'is not checked if no two customers share a contract',
    withContracts([[7], [8], [9]], (at) => 7 + at),
    {},
    'unchecked',
  ],
  ['is not checked if there are only two customers', withContracts([[7], [7]], () => 7), {}, 'unchecked'],
  ['is violated if customers share their only contract', shared, {}, 'breaks'],
] as const)('PATH-5 %s', async (_, lists, more, verdict) => {
  expect((await verdictsOf(lists, more))[0]).toBe(verdict)
})

it.each([
  ['holds if a path below the collection returns an item, not a list', { '/v1/customers/vip': { id: 0 } }, 'holds'],
  [
    'holds if a path below the collection returns a list of other records',
    { '/v1/customers/vip': [{ name: 'vip' }] },
    'holds',
  ],
  [
    'holds if no member of the items has the value in the path',
    { '/v1/customers/vip': shared['/v1/customers'] },
    'holds',
  ],
  ['is violated if a member of the items has the value in the path', city, 'breaks'],
  [
    'is checked for a path whose percent-encoding is malformed',
    { '/v1/customers/100%': [{ id: 0, city: '100%', contract: {} }] },
    'breaks',
  ],
] as const)('PATH-6 %s', async (_, lists, verdict) => {
  expect((await verdictsOf({ ...shared, ...lists }))[1]).toBe(verdict)
})
