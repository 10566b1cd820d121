/** Tests of the check of REP-3: several associations in one `expand`. */
import { expect, it } from 'vitest'
import { checkService } from '../../src/check/index.js'
import { serving } from './serving.js'

const people = [
  { id: 1, name: 'ana' },
  { id: 2, name: 'eva' },
]

/**
 * Checks a service whose orders have two links, and returns the outcome of REP-3/several.
 * `expanded` gets the names in `expand` and returns those that the service expands, or `undefined`
 * if the service responds with 400.
 */
async function verdictOf(expanded: (names: readonly string[]) => readonly string[] | undefined) {
  const { origin, close } = await serving((req, res) => {
    const { pathname, searchParams } = new URL(String(req.url), 'http://service')
    const names = expanded((searchParams.get('expand') ?? '').split(','))
    const link = (name: string, at: number) => ({
      href: `http://${req.headers.host}/v1/people/${at + 1}`,
      ...(names?.includes(name) ? people[at] : {}),
    })
    const orders = [0, 1].map((at) => ({ id: at, sender: link('sender', at), recipient: link('recipient', 1 - at) }))
    const [, , collection, id] = pathname.split('/')
    const found = collection === 'people' ? people[Number(id) - 1] : names && orders
    res.writeHead(found === undefined ? 400 : 200, { 'Content-Type': 'application/json' })
    res.end(JSON.stringify(found ?? {}))
  })
  const { results } = await checkService({
    base: `${origin}/v1`,
    target: {
      collections: [
        {
          template: '/orders',
          key: ['id'],
          methods: ['GET'],
          itemMethods: ['GET'],
          parameters: ['limit', 'expand'],
          expand: ['sender', 'recipient'],
          filters: [],
          first: 1,
          media: ['application/json'],
          nullable: [],
          writeOnly: [],
          secured: false,
          tagged: false,
          counted: false,
        },
      ],
    },
    rate: 100_000,
    only: ['REP-3'],
  })
  await close()
  return results.find(({ check }) => check === 'REP-3/several')?.outcome
}

it('REP-3 holds if each name in "expand" is expanded', async () => {
  expect(await verdictOf((names) => names)).toMatchObject({ verdict: 'holds' })
})

it('REP-3 is violated if only the first name, or only the last name, is expanded', async () => {
  for (const some of [(names: readonly string[]) => names.slice(0, 1), (names: readonly string[]) => names.slice(-1)])
    expect(await verdictOf(some)).toMatchObject({ verdict: 'breaks', seen: 'another value' })
})

it('REP-3 is violated if a list of several names is refused', async () => {
  expect(await verdictOf((names) => (names.length > 1 ? undefined : names))).toMatchObject({
    verdict: 'breaks',
    seen: expect.stringContaining('400'),
  })
})
