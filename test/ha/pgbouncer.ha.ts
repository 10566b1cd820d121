/**
 * The example service behind a real PgBouncer in transaction mode, which has only two connections
 * to the server.
 */
import { randomBytes } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ask, start } from '../examples/running.js'
import { freshDatabase } from '../servers/databases.js'
import { ownPgBouncer } from './own-pgbouncer.js'

const timeout = 90_000

async function behindPgBouncer(env: Record<string, string> = {}) {
  const place = await freshDatabase()
  const pooler = await ownPgBouncer(place.url)
  const service = start({
    DATABASE_URL: pooler.url,
    DATABASE_PREPARE: 'false',
    DATABASE_POOL: '20',
    SEED_SIZE: '20',
    ...env,
  })
  onTestFinished(async () => {
    service.child.kill('SIGKILL')
    await service.ended
    await pooler.remove()
    await place.drop()
  })
  return { place, pooler, ...service }
}

describe('the example service behind PgBouncer in transaction mode', () => {
  it('starts with DATABASE_PREPARE=false, and without it exits with an error about a startup parameter', {
    timeout,
  }, async () => {
    const { base, pooler } = await behindPgBouncer()
    expect((await fetch(`${await base}/ready`)).status).toBe(204)
    const refused = await start({ DATABASE_URL: pooler.url, SEED_SIZE: '0' }).ended
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/^DATABASE_URL cannot be used: unsupported startup parameter.*DATABASE_TIMEOUT=0/)
  })

  it('responds to creates, lists, expansions and patches of 40 clients over two connections', { timeout }, async () => {
    const { base: starting, place } = await behindPgBouncer()
    const base = await starting
    const json = { 'Content-Type': 'application/json' }
    const codigo = (i: number) => ({ codigo: 100_000 + i, ciudad: `C ${i}`, idCiudad: 1, idPais: 54, idProvincia: 1 })
    const client = async (i: number): Promise<number[]> => {
      const statuses: number[] = []
      const send = async (path: string, init?: RequestInit): Promise<Response> => {
        const response = await ask(`${base}/v8/${path}`, init)
        statuses.push(response.status)
        return response
      }
      const create = {
        method: 'POST',
        headers: { ...json, 'Idempotency-Key': randomBytes(8).toString('hex') },
        body: JSON.stringify(codigo(i)),
      }
      await send('codigos-postales', create)
      const own = await send('codigos-postales?limit=100')
      expect(own.headers.get('x-total-count')).not.toBeNull()
      await send('pre-piezas?sort=-fechaDeEntrada&limit=5')
      await send('pre-piezas/1?expand=contrato')
      await send('pre-piezas/1', {
        method: 'PATCH',
        headers: { 'Content-Type': 'application/merge-patch+json' },
        body: '{"lote":"L-7"}',
      })
      return statuses
    }
    const all = await Promise.all(Array.from({ length: 40 }, (_, i) => client(i)))
    expect(new Set(all.map((statuses) => statuses.join(' ')))).toEqual(new Set(['201 200 200 200 200']))
    expect(Number((await place.sql('SELECT count(*) AS n FROM codigos_postales WHERE codigo >= 100000'))[0]?.n)).toBe(
      40,
    )
  })

  it('limits the duration of statements with a setting of the database, not with startup parameters', {
    timeout,
  }, async () => {
    const { base: starting, place, pooler } = await behindPgBouncer()
    const base = await starting
    await place.sql(`ALTER DATABASE ${place.name} SET statement_timeout = '400ms'`)
    await pooler.reconnect()
    await place.sql(
      'CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(3); RETURN NEW; END $$',
    )
    await place.sql('CREATE TRIGGER slow BEFORE UPDATE ON pre_piezas FOR EACH ROW EXECUTE FUNCTION slow()')
    const began = Date.now()
    const patch = {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/merge-patch+json' },
      body: '{"lote":"L-8"}',
    }
    const { status } = await ask(`${base}/v8/pre-piezas/1`, patch)
    expect(status).toBe(503)
    expect(Date.now() - began).toBeLessThan(2_900)
  })
})
