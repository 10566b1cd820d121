/**
 * Records outside a principal's scope do not exist for that principal: a response equals that of a
 * service without these records, except for the date and the value of the entity tag. Only POST can
 * reveal such a record, because a POST with a key that is already in use is refused. The tests send
 * the same requests to two services: one has the data of both tenants, the other has only the data
 * of the caller.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, frameworks } from './fixture.js'
import { backings, base, everything, openWorld, reported, type World } from './scope-fixture.js'
import { addresses, lists } from './scope-requests.js'

const [[, express5], [, express4]] = frameworks as [(typeof frameworks)[number], (typeof frameworks)[number]]
const [memory, ...databases] = backings as [(typeof backings)[number], ...(typeof backings)[number][]]

describe.each([
  ...frameworks.map(([name, express]) => [name, memory[0], express, memory[1]] as const),
  // PGlite is omitted: each of its databases takes seconds to open, and PGlite runs the same
  // statements as PostgreSQL. scope-sequences.test.ts tests PGlite.
  ...databases
    .filter(([name]) => name !== 'PGlite')
    .map(([name, open]) => ['Express 5', name, express5, open] as const),
])('row-level scope on %s and %s', (_framework, _store, express, open) => {
  const strict = { requireIfMatch: express === express4 }

  describe.each([
    ['abeto', 'brezo'],
    ['brezo', 'abeto'],
  ])('the tenant %s requests data of the tenant %s', (me, other) => {
    let both: World
    let alone: World
    let seen: readonly string[]

    beforeAll(async () => {
      const tenants = [[me, other] as const, [other, me] as const]
      both = await openWorld(express, open, tenants, { outside: me, ...strict })
      alone = await openWorld(express, open, tenants.slice(0, 1), strict)
      seen = await everything(both, other)
      // Opening a database is slow on a busy machine.
    }, 90_000)
    afterAll(() => Promise.all([both?.close(), alone?.close()]), 30_000)

    /** Sends a request to both services. Their responses must be equal. */
    async function same(
      method: string,
      path: string,
      headers: Record<string, string> = {},
      body?: unknown,
    ): Promise<Answer> {
      const [answer, expected] = await Promise.all(
        [both, alone].map((world) => world.send(me, method, path, headers, body)),
      )
      const asked = `${method} ${path} ${JSON.stringify(headers)} ${JSON.stringify(body)}`
      expect(`${asked}\n${reported(answer as Answer)}`).toBe(`${asked}\n${reported(expected as Answer)}`)
      expect(answer?.status, asked).toBeLessThan(500)
      return answer as Answer
    }

    it('ERR-2, HDR-3: requests to URLs of the other tenant get the response of a URL that does not exist', async () => {
      for (const { path, hiddenFromOwner, list, ownerStatus: expectedStatus = 200, ...bodies } of addresses(
        me,
        other,
      )) {
        const { headers, status } = await both.send(other, 'GET', path)
        if (!hiddenFromOwner) expect(status, `${path}: status for the other tenant`).toBe(expectedStatus)
        const tag = headers.etag ?? '"a.b"'
        const conditions: Record<string, string>[] = [
          {},
          { 'if-match': tag },
          { 'if-match': '*' },
          { 'if-match': '"other.tag"' },
          { 'if-none-match': tag },
          { 'if-none-match': '*' },
          { prefer: 'return=representation' },
        ]
        const sent: Readonly<Record<string, unknown>> = { POST: bodies.post, PUT: bodies.put, PATCH: bodies.patch }
        for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']) {
          for (const condition of conditions) {
            const found = await same(method, path, condition, sent[method])
            const expected = method === 'OPTIONS' ? [204] : [404, 405]
            expect(expected, `${method} ${path} ${found.text}`).toContain(found.status)
            if (method === 'GET' || (list && method === 'POST')) expect(found.status).toBe(404)
          }
        }
      }
      expect(await everything(both, other)).toEqual(seen)
    })

    it('QUERY-1..7, REP-1..3: lists, searches, links and expansions contain nothing of the other tenant', async () => {
      let found = 0
      for (const path of lists(me, other)) {
        const answer = await same('GET', path)
        await same('HEAD', path)
        expect(answer.status, path).toBe(200)
        found += Number(answer.headers['x-total-count'] ?? 0)
        const { headers } = await both.send(other, 'GET', path)
        const mine = await both.send(me, 'GET', path)
        // The entity tag of the other tenant's list must not give a 304, unless both lists have the
        // same tag because they are empty.
        if (headers.etag !== mine.headers.etag) {
          expect((await both.send(me, 'GET', path, { 'if-none-match': headers.etag ?? '' })).status, path).toBe(200)
        }
      }
      expect(found).toBeGreaterThan(40)
    })

    it('QUERY-7: with a cursor of the other tenant, a tenant still gets only its own records', async () => {
      for (const query of [
        'limit=1',
        'limit=2&sort=descripcion',
        'limit=2&sort=-importe,descripcion',
        'limit=1&sort=empresa&importeDesde=15',
      ]) {
        let next: string | undefined = `/v2/contratos?${query}`
        let followed = 0
        while (next !== undefined) {
          const { headers } = await both.send(other, 'GET', next)
          for (const [, url = ''] of String(headers.link).matchAll(/<([^>]+)>/g)) {
            expect((await same('GET', url.slice(base.length))).status).toBe(200)
            if (url.includes('after=')) followed += 1
          }
          next = /<([^>]+)>; rel="next"/.exec(String(headers.link))?.[1]?.slice(base.length)
        }
        expect(followed, query).toBeGreaterThan(0)
      }
    })

    it('HDR-2: the Etag of a record does not depend on a linked record of the other tenant', async () => {
      const paths = [
        `/v2/contratos/${me}-k3?expand=cliente`,
        `/v2/notas/${me}-n2?expand=linea,parte`,
        '/v2/contratos?expand=cliente',
      ]
      const tagsOf = () => Promise.all(paths.map(async (path) => (await both.send(me, 'GET', path)).headers.etag))
      const before = await tagsOf()
      const target = `/v2/clientes/${other}-c1`
      const any = { 'if-match': '*' }
      expect((await both.send(other, 'PATCH', target, any, { nombre: 'otro' })).status).toBe(200)
      expect(
        (await both.send(other, 'PATCH', `/v2/partes/empresa=${other},numero=1`, any, { texto: 'otro' })).status,
      ).toBe(200)
      expect(await tagsOf()).toEqual(before)
      expect((await both.send(other, 'PATCH', target, any, { nombre: `comun ${other} 1` })).status).toBe(200)
      seen = await everything(both, other)
    })

    it('REP-7, VERB-3, VERB-5: a tenant cannot move or link its records to the other tenant', async () => {
      const any = { 'if-match': '*' }
      const at = (path: string) => ({ href: `${base}/v2/${path}` })
      const own = `/v2/contratos/${me}-k2`
      const whole = { descripcion: 'x', activo: true, marcas: [], importe: 1 }
      const refused: [method: string, path: string, body: unknown, pointer: string][] = [
        ...[{ empresa: other }, { empresa: null }, { empresa: me.toUpperCase() }].flatMap(
          (moved): [string, string, unknown, string][] => [
            ['PATCH', own, moved, '/empresa'],
            ['PUT', own, { ...whole, ...moved }, '/empresa'],
            ['POST', '/v2/contratos', { codigo: `${me}-k9`, ...whole, ...moved }, '/empresa'],
            ['POST', `/v2/clientes/${me}-c1/contratos`, { codigo: `${me}-k9`, ...whole, ...moved }, '/empresa'],
            ['PATCH', `/v2/sellos/${me}-s1`, moved, '/empresa'],
            ['PUT', `/v2/sellos/${me}-s1`, moved, '/empresa'],
            ['PATCH', `/v2/cierres/${me}-x1`, moved, '/empresa'],
            ['PUT', `/v2/cierres/${me}-x1`, moved, '/empresa'],
            ['POST', '/v2/cierres', { id: `${me}-x9`, ...moved }, '/empresa'],
          ],
        ),
        ['PATCH', `/v2/partes/empresa=${me},numero=1`, { empresa: other }, '/empresa'],
        ['POST', '/v2/partes', { empresa: other, numero: 1 }, '/empresa'],
        ['PATCH', `/v2/notas/${me}-n1`, { autor: 'otra' }, '/autor'],
        ['PATCH', `/v2/notas/${me}-n1`, { autor: null }, '/autor'],
        ['PATCH', `/v1/contratos/${me}-k2`, { compania: other }, '/compania'],
        ['PUT', `/v1/contratos/${me}-k2`, { titulo: 'x', compania: other }, '/compania'],
        ['POST', '/v1/contratos', { codigo: `${me}-k9`, titulo: 'x', compania: other }, '/compania'],
        ...[at(`clientes/${other}-c1`), { id: `${other}-c1` }, { href: `/v2/clientes/${other}-c1` }].flatMap(
          (cliente): [string, string, unknown, string][] => [
            ['PATCH', own, { cliente }, '/cliente'],
            ['PUT', own, { ...whole, cliente }, '/cliente'],
            ['POST', '/v2/contratos', { codigo: `${me}-k9`, ...whole, cliente }, '/cliente'],
          ],
        ),
        [
          'PATCH',
          `/v2/notas/${me}-n1`,
          { linea: at(`contratos/${other}-k1/lineas/contrato=${other}-k1,numero=1`) },
          '/linea',
        ],
        ['PATCH', `/v2/notas/${me}-n1`, { linea: { contrato: `${other}-k1`, numero: 1 } }, '/linea'],
        ['PATCH', `/v2/notas/${me}-n1`, { parte: { empresa: other, numero: 1 } }, '/parte'],
      ]
      for (const [method, path, body, pointer] of refused) {
        const answer = await same(method, path, any, body)
        const asked = `${method} ${path} ${JSON.stringify(body)} ${answer.text}`
        expect(answer.status, asked).toBe(422)
        expect(
          answer.json.errors.map((error: { pointer: string }) => error.pointer),
          asked,
        ).toContain(pointer)
      }
      expect(await everything(both, other)).toEqual(seen)
    })

    it("HDR-3: If-Match with the Etag of the other tenant's record gets 412 for the tenant's own record", async () => {
      const { etag = '' } = (await both.send(other, 'GET', `/v2/contratos/${other}-k1`)).headers
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        const body = method === 'DELETE' ? undefined : { descripcion: 'x' }
        expect((await same(method, `/v2/contratos/${me}-k1`, { 'if-match': etag }, body)).status).toBe(412)
      }
      expect((await same('GET', `/v2/contratos/${me}-k1`, { 'if-none-match': etag })).status).toBe(200)
    })

    it('VERB-2: POST reveals that a key is in use, unless the tenant is part of the key', async () => {
      const answer = { prefer: 'return=representation' }
      const own = await same('POST', '/v2/partes', answer, { numero: 1, texto: 'x' })
      expect([own.status, own.json.code]).toEqual([422, 'duplicate'])
      const key = { empresa: other, numero: 3 }
      expect((await both.send(other, 'POST', '/v2/partes', {}, key)).status).toBe(201)
      const fresh = await same('POST', '/v2/partes', answer, { numero: 3, texto: 'x' })
      expect(fresh.json).toMatchObject({ empresa: me, numero: 3 })
      const taken = await both.send(me, 'POST', '/v2/sellos', answer, { id: `${other}-s1`, texto: 'x' })
      const ours = await both.send(me, 'POST', '/v2/sellos', answer, { id: `${me}-s1`, texto: 'x' })
      expect(ours.json.code).toBe('duplicate')
      expect(reported(taken)).toBe(reported(ours))
      seen = await everything(both, other)
    })

    it("VERB-2..6, PATH-7, PATH-8: a tenant's changes get the same responses as without the other tenant", async () => {
      const any = { 'if-match': '*', prefer: 'return=representation' }
      const contrato = { codigo: `${me}-k7`, descripcion: `comun ${me} raro`, marcas: [], activo: true }
      const back = (await both.send(me, 'GET', `/v2/contratos/${me}-k3?expand=cliente`)).json
      const steps: [method: string, path: string, body: unknown, status: number][] = [
        ['POST', '/v2/contratos', contrato, 201],
        ['POST', '/v2/contratos', { ...contrato, codigo: `${me}-k8`, empresa: me, cliente: { id: `${me}-c1` } }, 201],
        ['POST', `/v2/clientes/${me}-c2/contratos`, { ...contrato, codigo: `${me}-k9` }, 201],
        ['POST', `/v2/carteras/${me}-t1/depositos`, { ...contrato, codigo: `${me}-k10` }, 201],
        ['POST', '/v2/etiquetas/comun/marcados', { ...contrato, codigo: `${me}-k11` }, 201],
        ['POST', '/v1/contratos', { codigo: `${me}-k12`, titulo: 'comun' }, 201],
        ['POST', '/v2/sellos', { id: `${me}-s2` }, 201],
        ['POST', '/v2/cierres', { id: `${me}-x2` }, 201],
        ['POST', '/v2/notas', { id: `${me}-n3`, parte: { empresa: me, numero: 2 } }, 201],
        ['POST', `/v2/contratos/${me}-k1/lineas`, { numero: 3 }, 201],
        // PUT accepts the body that GET returned, even with links whose target is not visible.
        ['PUT', `/v2/contratos/${me}-k3`, back, 200],
        ['PATCH', `/v2/contratos/${me}-k3`, { importe: 3 }, 200],
        ['PUT', `/v2/clientes/${me}-c2/contratos/${me}-k3`, undefined, 204],
        ['DELETE', `/v2/clientes/${me}-c2/contratos/${me}-k3`, undefined, 204],
        ['PUT', `/v2/etiquetas/comun/marcados/${me}-k2`, undefined, 204],
        ['DELETE', `/v2/etiquetas/comun/marcados/${me}-k1`, undefined, 204],
        ['DELETE', `/v2/carteras/${me}-t1/depositos/${me}-k10`, undefined, 204],
        ['PUT', `/v2/contratos/${me}-k4/activo`, undefined, 204],
        ['DELETE', `/v2/contratos/${me}-k4/activo`, undefined, 204],
        ['PATCH', `/v2/sellos/${me}-s1`, { texto: 'x' }, 200],
        ['PUT', `/v2/cierres/${me}-x1`, { texto: 'x', empresa: me }, 200],
        ['PATCH', `/v1/contratos/${me}-k2`, { titulo: 'raro' }, 200],
        ['PUT', `/v1/contratos/${me}-k2`, { titulo: 'comun raro', compania: me }, 200],
        ['DELETE', `/v1/contratos/${me}-k12`, undefined, 204],
        ['DELETE', `/v2/partes/empresa=${me},numero=2`, undefined, 204],
        ['DELETE', `/v2/clientes/${me}-c1`, undefined, 204],
      ]
      for (const [method, path, body, status] of steps) {
        const answer = await same(method, path, any, body)
        expect(answer.status, `${method} ${path} ${answer.text}`).toBe(status)
      }
      for (const path of lists(me, other)) await same('GET', path)
      expect(await everything(both, other)).toEqual(seen)
    })
  })
})
