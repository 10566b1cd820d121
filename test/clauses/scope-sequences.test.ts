/**
 * Two tenants send requests in random order. Neither tenant ever changes or sees data of the other.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { size } from '../size.js'
import { frameworks } from './fixture.js'
import { backings, base, everything, openWorld, type World } from './scope-fixture.js'

const [[, express]] = frameworks as [(typeof frameworks)[number]]
const tenants = ['abeto', 'brezo'] as const
type Tenant = (typeof tenants)[number]
const otherOf = (tenant: Tenant): Tenant => (tenant === 'abeto' ? 'brezo' : 'abeto')

interface Step {
  readonly by: Tenant
  readonly method: string
  readonly path: string
  readonly condition: 'none' | 'any' | 'seen'
  /** Selects one of the entity tags that the two tenants have received so far. */
  readonly tag: number
  readonly prefer: boolean
  readonly body: Readonly<Record<string, unknown>>
}

// Each tenant uses only a few keys: its own, those of the other tenant, and new keys that either
// tenant may create. `MY` stands for the tenant that sends the request, and `YOUR` for the other
// tenant.
const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values)
const contrato = oneOf('MY-k1', 'MY-k2', 'MY-k3', 'YOUR-k1', 'n1', 'n2', 'n3')
const cliente = oneOf('MY-c1', 'MY-c2', 'YOUR-c1', 'n1')
const cartera = oneOf('MY-t1', 'MY-t1', 'YOUR-t1')
const inPath = (...parts: readonly (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> =>
  fc
    .tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)))
    .map((found) => `/v2/${found.join('')}`)

const linea = fc.tuple(contrato, oneOf(1, 2, 9)).map(([of, n]) => `contrato=${of},numero=${n}`)
const parte = fc.tuple(oneOf('MY', 'MY', 'YOUR'), oneOf(1, 2, 9)).map(([of, n]) => `empresa=${of},numero=${n}`)
const expanded = oneOf('', '?expand=cliente')
const path = fc.oneof(
  inPath('contratos', expanded),
  inPath('contratos/', contrato),
  inPath('contratos/', contrato, '/activo'),
  inPath('contratos/', contrato, '/lineas'),
  inPath('contratos/', contrato, '/lineas/', linea),
  inPath('clientes'),
  inPath('clientes/', cliente),
  inPath('clientes/', cliente, '/contratos'),
  inPath('clientes/', cliente, '/contratos/', contrato),
  inPath('carteras/', cartera, '/depositos'),
  inPath('carteras/', cartera, '/depositos/', contrato),
  inPath('etiquetas/comun/marcados'),
  inPath('etiquetas/comun/marcados/', contrato),
  inPath('partes'),
  inPath('partes/', parte),
  inPath('notas', oneOf('', '?expand=linea,parte')),
  inPath('notas/', oneOf('MY-n1', 'YOUR-n1', 'n1')),
  inPath('sellos/', oneOf('MY-s1', 'YOUR-s1')),
  inPath('cierres/', oneOf('MY-x1', 'YOUR-x1')),
  inPath(oneOf('contratos', 'clientes'), '?q=comun%20OR%20raro%20OR%20nuevo'),
  contrato.map((id) => `/v1/contratos/${id}`),
)

/**
 * Members for any of the resources. A request omits the members that its resource does not have.
 */
const members: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  codigo: oneOf('n1', 'n2', 'n3', 'YOUR-k1'),
  id: oneOf('YOUR-c1', 'n1', 'n2'),
  numero: oneOf(1, 2, 9),
  empresa: oneOf('MY', 'MY', 'MY', 'YOUR', null),
  importe: oneOf(1, null),
  cliente: fc.oneof(
    cliente.map((id) => ({ id })),
    cliente.map((id) => ({ href: `${base}/v2/clientes/${id}` })),
    fc.constant(null),
  ),
  parte: fc.tuple(oneOf('MY', 'MY', 'YOUR'), oneOf(1, 2)).map(([empresa, numero]) => ({ empresa, numero })),
  linea: fc.tuple(oneOf('MY-k1', 'YOUR-k1'), oneOf(1, 2)).map(([of, numero]) => ({ contrato: of, numero })),
}
const taken: readonly (readonly [RegExp, readonly string[], string | undefined])[] = [
  [/\/lineas\b/, ['numero'], 'texto'],
  [/\/partes\b/, ['numero', 'empresa'], 'texto'],
  [/\/notas\b/, ['id', 'empresa', 'parte', 'linea'], 'texto'],
  [/\/(sellos|cierres)\b/, ['id', 'empresa'], 'texto'],
  [/^\/v1\/contratos/, [], 'titulo'],
  [/\/(activo|(contratos|depositos|marcados)\/[^/?]+)$/, ['codigo', 'empresa', 'importe', 'cliente'], 'descripcion'],
  [/\/(contratos|depositos|marcados)/, ['codigo', 'empresa', 'importe', 'cliente'], 'descripcion'],
  [/\/clientes/, ['id', 'empresa'], 'nombre'],
]

/**
 * Whether a path is that of a flag, or of a record in an association. PUT to such a path needs no
 * body.
 */
const isState = (at: string): boolean => /\/(activo|(clientes|carteras|etiquetas)\/[^/]+\/[^/]+\/[^/]+)$/.test(at)

function methodsAt(at: string): readonly string[] {
  if (at.includes('?q=')) return ['GET']
  if (isState(at)) return ['GET', 'PUT', 'PUT', 'DELETE']
  const isItem = at.replace(/\?.*/, '').split('/').length % 2 === 0
  return isItem ? ['GET', 'PUT', 'PATCH', 'PATCH', 'DELETE'] : ['HEAD', 'POST', 'POST', 'POST']
}

const step: fc.Arbitrary<Step> = fc
  .record({
    by: oneOf(...tenants),
    address: path.chain((at) => oneOf(...methodsAt(at)).map((method) => ({ path: at, method }))),
    condition: oneOf('none', 'none', 'none', 'any', 'seen'),
    tag: fc.nat(30),
    prefer: fc.boolean(),
    body: fc.record(members, { requiredKeys: ['codigo', 'id', 'numero'] }),
  })
  .map(({ address, ...one }) => {
    const named = JSON.stringify({ ...one, ...address })
      .replaceAll('MY', one.by)
      .replaceAll('YOUR', otherOf(one.by))
    return JSON.parse(named) as Step
  })

/**
 * The body of a request: the members that this path accepts, with a string that names the tenant.
 * Setting a flag or attaching a record needs no body.
 */
function bodyOf({ method, path: at, by, body }: Step): unknown {
  const bodiless = method === 'PUT' && isState(at)
  if (!['POST', 'PUT', 'PATCH'].includes(method) || bodiless) return undefined
  const [, names = [], label] = taken.find(([pattern]) => pattern.test(at)) ?? []
  // The body of a PUT or PATCH omits the key.
  const kept = Object.entries(body).filter(
    ([name]) => names.includes(name) && (method === 'POST' || !['codigo', 'id', 'numero'].includes(name)),
  )
  return { ...Object.fromEntries(kept), ...(label === undefined ? {} : { [label]: `comun nuevo de ${by}` }) }
}

/** Sends the steps one by one. Returns how many writes succeeded. */
async function run(world: World, steps: readonly Step[]): Promise<number> {
  const seen = new Map<Tenant, string[]>()
  const tags: string[] = []
  let done = 0
  for (const one of steps) {
    const { by, method, path: at, condition, tag, prefer } = one
    const other = otherOf(by)
    const before = seen.get(other) ?? (await everything(world, other))
    seen.set(other, before)
    const match = condition === 'any' ? '*' : tags[tag % Math.max(tags.length, 1)]
    const headers = {
      ...(condition === 'none' || match === undefined ? {} : { 'if-match': match }),
      ...(prefer ? { prefer: 'return=representation' } : {}),
    }
    const answer = await world.send(by, method, at, headers, bodyOf(one))
    if (answer.headers.etag !== undefined) tags.push(answer.headers.etag)
    const asked = `${by}: ${method} ${at} ${JSON.stringify(bodyOf(one))}: ${answer.status} ${answer.text}`
    expect(answer.status, asked).toBeLessThan(500)
    expect(answer.text, asked).not.toMatch(new RegExp(`\\b(de|comun|raro) ${other}`))
    expect(await everything(world, other), asked).toEqual(before)
    if (answer.status < 300 && method !== 'GET' && method !== 'HEAD') {
      seen.delete(by)
      done += 1
    }
  }
  return done
}

describe('row-level scope and random requests of two tenants', () => {
  it.each(backings)(
    'HDR-3, VERB-1..6: on %s, no request changes or shows data of the other tenant',
    async (name, open) => {
      const both = tenants.map((tenant) => [tenant, otherOf(tenant)] as const)
      let done = 0
      // A memory store is created for each sequence. Database tables are reused.
      const kept = name === 'memory' ? undefined : await openWorld(express, open, both)
      try {
        await fc.assert(
          fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25, size: 'max' }), async (steps) => {
            const world = kept ?? (await openWorld(express, open, both))
            try {
              done += await run(world, steps)
            } finally {
              if (kept === undefined) await world.close()
            }
          }),
          { numRuns: kept === undefined ? size(3, 20) : size(3, 12), endOnFailure: kept !== undefined },
        )
      } finally {
        await kept?.close()
      }
      // Many random writes are refused. This check makes sure that some succeed.
      expect(done).toBeGreaterThan(0)
    },
    120_000,
  )
})
