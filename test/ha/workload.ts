/**
 * Clients that update counters and create records with idempotency keys. They compare each counter
 * that they read with the values that they have sent.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.js'
import { sqlOf } from './programs.js'

export interface WorkloadOptions {
  /**
   * The resource of the counters. `contadores` is read from the primary, and `lecturas` from the
   * replicas. Default: `contadores`.
   */
  readonly counters?: 'contadores' | 'lecturas'
}

export interface Verdict {
  /**
   * The number of acknowledged updates of counters. `creates` is the number of acknowledged
   * creates.
   */
  readonly updates: number
  readonly creates: number
  /**
   * The number of acknowledged writes that are missing in a later response, or in the database at
   * the end.
   */
  readonly lost: number
  /**
   * The number of creates that are stored more than once, or that do not have exactly one row in
   * the outbox.
   */
  readonly doubles: number
  /**
   * A description of each false response: the counter is missing, less than the last acknowledged
   * value or greater than the last sent value. If an update gets a 503 that says that nothing was
   * changed, its value does not count as sent. Also a description of each counter that is too great
   * in the database at the end.
   */
  readonly untrue: readonly string[]
  /**
   * A description of each response with a 5xx status other than 503, each create with an unexpected
   * status, and each request without a response.
   */
  readonly failures: readonly string[]
  /** The longest time in which no write was acknowledged, in milliseconds. */
  readonly gap: number
  /** The number of responses with the status 503. */
  readonly unavailable: number
}

export interface Workload {
  /** The time of the last acknowledged write, from `performance.now()`. */
  lastWrite(): number
  /** Stops the clients, and compares the database with the responses that they received. */
  end(): Promise<Verdict>
}

/** The pause of a client between its attempts to write, in milliseconds. */
const pause = 100

/** The time after which a client aborts a request, in milliseconds. */
const requestTime = 20_000

const clients = 50

export function startWorkload(
  { base, databaseUrl }: Cluster,
  { counters = 'contadores' }: WorkloadOptions = {},
): Workload {
  const run = randomUUID().slice(0, 8)
  const untrue: string[] = []
  const failures: string[] = []
  const acknowledged = new Map<string, { min: number; max: number }>()
  const created = new Set<string>()
  let [updates, lost, unavailable, gap, last, ending] = [0, 0, 0, 0, performance.now(), false]

  const done = (): void => {
    const now = performance.now()
    gap = Math.max(gap, now - last)
    last = now
  }
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    try {
      const response = await fetch(`${base}/v1/${path}`, {
        method,
        headers: { 'Content-Type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(requestTime),
      })
      const text = await response.text()
      if (response.status === 503) unavailable++
      else if (response.status >= 500) failures.push(`${method} ${path}: ${response.status} ${text}`)
      return { status: response.status, text, tag: response.headers.get('etag') ?? '' }
    } catch (error) {
      failures.push(
        `${method} ${path}: ${(error as Error).message} ` +
          `${((error as Error).cause as Error | undefined)?.message ?? ''}`,
      )
      return { status: 0, text: '', tag: '' }
    }
  }

  /**
   * Repeatedly increments a counter that no other client changes. The counter must be at least the
   * last acknowledged value, and at most the last sent value.
   */
  async function count(id: string): Promise<void> {
    const known = { min: 0, max: 0 }
    acknowledged.set(id, known)
    const as = { 'X-Client': id }
    while (!ending && (await send('POST', counters, { id, valor: 0 }, as)).status !== 201) await sleep(pause)
    while (!ending) {
      const read = await send('GET', `${counters}/${id}`, undefined, as)
      if (read.status === 200) {
        const { valor } = JSON.parse(read.text) as { valor: number }
        if (valor < known.min || valor > known.max)
          untrue.push(`${id} is ${valor}, expected from ${known.min} to ${known.max}`)
        lost += Math.max(0, known.min - valor)
        // Accepts the value from now on, so that each deviation is reported only once.
        known.min = Math.min(known.min, valor)
        known.max = Math.max(known.max, valor)
        const put = await send('PUT', `${counters}/${id}`, { id, valor: valor + 1 }, { ...as, 'If-Match': read.tag })
        if (put.status === 200 || put.status === 204) {
          updates++
          known.min = known.max = valor + 1
          done()
        } else if (put.status !== 503 || !/nothing was changed/i.test(put.text))
          known.max = Math.max(known.max, valor + 1)
      } else if (read.status === 404) untrue.push(`${id} is gone`)
      await sleep(pause)
    }
  }

  /** Creates records with idempotency keys. Retries each request until it is acknowledged. */
  async function create(): Promise<void> {
    while (!ending) {
      const clave = `${run}-${randomUUID()}`
      while (!ending) {
        const { status } = await send('POST', 'envios', { clave }, { 'Idempotency-Key': clave })
        if (status === 201) {
          created.add(clave)
          done()
          break
        }
        if (status !== 503 && status !== 0) failures.push(`POST: ${status}`)
        await sleep(pause)
      }
      await sleep(pause)
    }
  }
  const running = Array.from({ length: clients }, (_, i) => (i % 2 === 0 ? count(`${run}-${i}`) : create()))
  return {
    lastWrite: () => last,
    async end() {
      ending = true
      await Promise.all(running)
      const stored = await sqlOf(databaseUrl, `SELECT id, valor FROM contadores WHERE id LIKE '${run}-%'`)
      const rows = await sqlOf(
        databaseUrl,
        'SELECT clave, count(*)::int AS n, (SELECT count(*)::int FROM outbox o WHERE o.clave = e.clave) AS sent ' +
          `FROM envios e WHERE clave LIKE '${run}-%' GROUP BY clave`,
      )
      const values = new Map(stored.map(({ id, valor }) => [id as string, valor as number]))
      const keys = new Set(rows.map(({ clave }) => clave as string))
      lost += [...created].filter((clave) => !keys.has(clave)).length
      for (const [id, { min, max }] of acknowledged) {
        const value = values.get(id) ?? 0
        lost += Math.max(0, min - value)
        if (value > max) untrue.push(`${id} ended as ${value}, but the highest value that was sent is ${max}`)
      }
      const doubles = rows.filter(({ n, sent }) => n !== 1 || sent !== 1).length
      return { updates, creates: created.size, lost, doubles, untrue, failures, gap: Math.round(gap), unavailable }
    },
  }
}
