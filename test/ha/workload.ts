/** Clients that write counters and keyed creates without a pause, and what they were told. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, sqlOf } from './cluster.js'

/** What was found out of step with what clients were told. */
export interface Verdict {
  /** Acknowledged updates of counters, and acknowledged creates. */
  readonly updates: number
  readonly creates: number
  /** Acknowledged writes that are not there. */
  readonly lost: number
  /** Creates that are there more than once, or not once in the outbox. */
  readonly doubles: number
  /** Answers that say that nothing was changed where something was, and counters beyond what was sent. */
  readonly untrue: readonly string[]
  /** Statuses of 5xx other than 503, and connections that were lost. */
  readonly failures: readonly string[]
  /** Milliseconds of the longest time without an acknowledged write of any client. */
  readonly gap: number
  readonly unavailable: number
}

export interface Workload {
  /** When a write was last acknowledged (`performance.now()`). */
  lastWrite(): number
  /** Ends the clients and compares. */
  end(): Promise<Verdict>
}

/** Milliseconds that a client pauses between its requests. */
const pause = 100

/** Milliseconds after which a client gives a request up. */
const requestTime = 20_000

export function startWorkload({ base, databaseUrl }: Cluster, clients = 50): Workload {
  const run = randomUUID().slice(0, 8)
  const untrue: string[] = []
  const failures: string[] = []
  const acknowledged = new Map<string, { least: number; most: number }>()
  const created = new Set<string>()
  let [updates, unavailable, gap, last, ending] = [0, 0, 0, performance.now(), false]

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
        `${method} ${path}: ${(error as Error).message} ${((error as Error).cause as Error | undefined)?.message ?? ''}`,
      )
      return { status: 0, text: '', tag: '' }
    }
  }

  /** Its own counter: at least what was acknowledged, at most what was sent since. */
  async function count(id: string): Promise<void> {
    const known = { least: 0, most: 0 }
    acknowledged.set(id, known)
    while (!ending && (await send('POST', 'contadores', { id, valor: 0 })).status !== 201) await sleep(pause)
    while (!ending) {
      const read = await send('GET', `contadores/${id}`)
      if (read.status === 200) {
        const { valor } = JSON.parse(read.text) as { valor: number }
        if (valor < known.least || valor > known.most)
          untrue.push(`${id} is ${valor}, told from ${known.least} to ${known.most}`)
        const put = await send('PUT', `contadores/${id}`, { id, valor: valor + 1 }, { 'If-Match': read.tag })
        if (put.status === 200 || put.status === 204) {
          updates++
          known.least = known.most = valor + 1
          done()
        } else if (put.status !== 503 || !/nothing was changed/i.test(put.text))
          known.most = Math.max(known.most, valor + 1)
        if (put.status === 503 && /nothing was changed/i.test(put.text)) known.most = Math.max(known.most, valor)
      } else if (read.status === 404) untrue.push(`${id} is gone`)
      await sleep(pause)
    }
  }

  /** Creates with a key, each repeated until it is acknowledged. */
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
      const counters = await sqlOf(databaseUrl, `SELECT id, valor FROM contadores WHERE id LIKE '${run}-%'`)
      const rows = await sqlOf(
        databaseUrl,
        `SELECT clave, count(*)::int AS n, (SELECT count(*)::int FROM outbox o WHERE o.clave = e.clave) AS sent FROM envios e WHERE clave LIKE '${run}-%' GROUP BY clave`,
      )
      const values = new Map(counters.map(({ id, valor }) => [id as string, valor as number]))
      const stored = new Set(rows.map(({ clave }) => clave as string))
      let lost = [...created].filter((clave) => !stored.has(clave)).length
      for (const [id, { least, most }] of acknowledged) {
        const value = values.get(id) ?? 0
        lost += Math.max(0, least - value)
        if (value > most) untrue.push(`${id} ended as ${value}, at most ${most} were sent`)
      }
      const doubles = rows.filter(({ n, sent }) => n !== 1 || sent !== 1).length
      return { updates, creates: created.size, lost, doubles, untrue, failures, gap: Math.round(gap), unavailable }
    },
  }
}
