/**
 * The clause violations that the services of examples/legacy count. At each step, the old clients
 * violate the clauses that the README of the example lists for the step. From step 2 on, they also
 * violate QUERY-4 and QUERY-5, and from step 6 on, REP-1.
 */
import { describe, expect, it } from 'vitest'
import type { UsageSnapshot } from '../../src/usage/index.js'
import { brokenClauses, newClients, oldClients, serve, steps } from './legacy-steps.js'

/** Runs each client once against a file of the example, and returns the counts of the findings. */
async function countsOf(file: string, clients: typeof oldClients): Promise<UsageSnapshot['wouldBreak']> {
  const service = await serve(file)
  try {
    for (const run of Object.values(clients)) await run(service.base)
    return (await service.usage.read()).wouldBreak
  } finally {
    await service.close()
  }
}

const clausesOf = (counts: UsageSnapshot['wouldBreak']): string[] =>
  [...new Set(counts.map(({ clause }) => clause))].sort()

describe('the clauses that the old clients violate', () => {
  it('are the fifteen different clauses in the README', () => {
    expect(brokenClauses).toHaveLength(15)
    expect(new Set(brokenClauses.map(({ clause }) => clause)).size).toBe(15)
  })

  it.each(steps.slice(1))(
    'at step %d are those that the README lists for the step, and those added at the step or before it',
    async (step) => {
      const listed = brokenClauses.filter(({ until }) => step < until || until === 7).map(({ clause }) => clause)
      // From step 2 on, aliases of page parameters are reported under QUERY-4 and QUERY-5. Links
      // are declared at step 6, so REP-1 is reported from then on.
      const added = [...(step >= 2 ? ['QUERY-4', 'QUERY-5'] : []), ...(step >= 6 ? ['REP-1'] : [])]
      expect(clausesOf(await countsOf(`step-${step}/app.cjs`, oldClients))).toEqual([...listed, ...added].sort())
    },
  )
})

/** Each row consists of the clause, the detail, the method, the route and the client. */
it('step 1 of examples/legacy reports each violated clause with its routes and clients', async () => {
  const counts = await countsOf('step-1/app.cjs', oldClients)
  const rows = counts.map(({ clause, method, route, detail, client }) =>
    [clause, detail, method, route, client].join(' '),
  )
  expect(rows.sort()).toEqual([
    'AUTH-4 WWW-Authenticate GET /v1/deliveries (unnamed)',
    'ERR-1 409 POST /v1/deliveries office',
    'ERR-1 409 POST /v1/deliveries/{id}/cancel shop',
    'ERR-3 HTML PATCH /v1/deliveries/{id} (unnamed)',
    'ERR-3 JSON GET /v1/deliveries (unnamed)',
    'ERR-3 JSON GET /v1/deliveries/{id} office',
    'ERR-3 JSON GET /v1/depot/{depot} shop',
    'ERR-3 JSON POST /v1/deliveries office',
    'ERR-3 JSON POST /v1/deliveries/{id}/cancel shop',
    'HDR-1 Accept GET /v1/deliveries/{id} scanner',
    'HDR-2 weak Etag GET /v1/deliveries/{id} office',
    'HDR-2 weak Etag GET /v1/deliveries/{id} scanner',
    'HDR-2 weak Etag GET /v1/deliveries/{id} shop',
    'HDR-2 weak Etag GET /v1/depot/{depot} shop',
    'HDR-3 weak If-Match PATCH /v1/deliveries/{id} scanner',
    'HDR-4 If-None-Match GET /v1/deliveries/{id} scanner',
    'PATH-2 depot GET /v1/depot/{depot} shop',
    'PATH-3 cancel POST /v1/deliveries/{id}/cancel shop',
    'PATH-4 deliveries.csv GET /v1/deliveries.csv billing',
    'QUERY-7 x-total-count GET /v1/deliveries office',
    'QUERY-7 x-total-count GET /v1/deliveries scanner',
    'QUERY-8 _ GET /v1/deliveries scanner',
    'QUERY-8 columns GET /v1/deliveries office',
    'QUERY-8 page GET /v1/deliveries office',
    'QUERY-8 page GET /v1/deliveries scanner',
    'QUERY-8 per_page GET /v1/deliveries office',
    'QUERY-8 per_page GET /v1/deliveries scanner',
    'QUERY-8 sort_by GET /v1/deliveries office',
    'VERB-2 Location POST /v1/deliveries office',
    'VERB-6 body DELETE /v1/deliveries/{id} office',
    'VERB-8 200 HEAD /v1/deliveries/{id} office',
  ])
})

describe('the calls of the old clients', () => {
  it.each(steps.slice(1))('are each counted once at step %d, with version and client', async (step) => {
    const service = await serve(`step-${step}/app.cjs`)
    for (const run of Object.values(oldClients)) await run(service.base)
    const { calls } = await service.usage.read()
    const { requests } = service
    await service.close()
    expect(calls.reduce((sum, { count }) => sum + count, 0)).toBe(requests())
    expect([...new Set(calls.map(({ version, client }) => `${version} ${client}`))].sort()).toEqual([
      'v1 (unnamed)',
      'v1 billing',
      'v1 office',
      'v1 scanner',
      'v1 shop',
    ])
  })
})

describe('the new clients', () => {
  it.each(['step-7/app.cjs', 'step-7/afterwards.cjs'])('violate no clause in %s', async (file) => {
    expect(await countsOf(file, newClients)).toEqual([])
  })
})
