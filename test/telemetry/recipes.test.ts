/**
 * Runs the recipes of docs/observability.md with the real packages, on both major versions of
 * Express. `spans.test.ts` runs the recipe for spans.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { headings, recipe, recipeFile } from './recipes.js'

const program = fileURLToPath(new URL('recipe-run.mjs', import.meta.url))

/**
 * Runs a service with a recipe. Returns the output of the recipe, and the lines that the service
 * logged.
 */
async function run(heading: string, kind: string, major: string) {
  const file = recipeFile(heading)
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, file.path, kind, major])
    const lines = stdout.trim().split('\n')
    // The result might not be the last line, because a logger may write after the result.
    const [result = ''] = lines.splice(
      lines.findIndex((line) => line.startsWith('{"statuses"')),
      1,
    )
    const { statuses, output } = JSON.parse(result) as { statuses: number[]; output: unknown }
    expect(statuses).toEqual([200, 200, 404, 412, 500, 410])
    expect(stderr).toBe('')
    return { output, lines }
  } finally {
    file.remove()
  }
}

/** A metric of prom-client or OpenTelemetry: its name, and the labels of its values. */
interface Metric {
  readonly name: string
  readonly labels: readonly Readonly<Record<string, unknown>>[]
}

const labelsOf = (metrics: readonly Metric[], name: string) =>
  metrics.find((metric) => metric.name === name)?.labels ?? []

const route = (request: string, of: readonly string[]) => (labels: Readonly<Record<string, unknown>>) =>
  of.map((name) => String(labels[name])).join(' ') === request

describe('recipes', () => {
  it('have at most 15 non-empty lines, and no line is longer than 150 characters', () => {
    expect(headings.length).toBe(6)
    for (const heading of headings) {
      const lines = recipe(heading).split('\n')
      expect(lines.filter((line) => line.trim() !== '').length, heading).toBeLessThanOrEqual(15)
      expect(Math.max(...lines.map((line) => line.length)), heading).toBeLessThanOrEqual(150)
    }
  })
})

describe.each(['4', '5'])('recipes on Express %s', (major) => {
  it('prom-client exports metrics of routes, deprecated versions, slow lists, the pool and stores', async () => {
    const { output } = await run('Metrics with prom-client', 'prom', major)
    const metrics = (output as { name: string; values: { labels: Record<string, unknown> }[] }[]).map(
      ({ name, values }) => ({
        name,
        labels: values.map(({ labels }) => labels),
      }),
    )
    const requests = labelsOf(metrics, 'http_server_request_duration_seconds')
    const of = ['http_request_method', 'http_route', 'http_response_status_code']
    for (const one of [
      'GET /v2/cosas/{id} 200',
      'GET /v1/cosas/{id} 200',
      'GET /v2/cosas/{id} 404',
      'DELETE /v2/cosas/{id} 412',
      'GET /v2/rotas/{id} 500',
      'GET  410',
    ]) {
      expect(requests.some(route(one, of)), one).toBe(true)
    }
    expect(
      labelsOf(metrics, 'rest_adapter_call_duration_seconds').some(
        route('rotas read true', ['collection', 'call', 'failed']),
      ),
    ).toBe(true)
    expect(labelsOf(metrics, 'rest_deprecated_requests_total')).toEqual([{ version: 'v1', client: '' }])
    expect(labelsOf(metrics, 'rest_slow_lists_total')).toEqual([
      { collection: 'cosas', filters: 'a,b', read_whole: 't' },
    ])
    const gauges = new Map(
      (output as { name: string; values: { value: number }[] }[]).map(({ name, values }) => [name, values[0]?.value]),
    )
    expect([gauges.get('rest_pool_waiting'), gauges.get('rest_stores_down')]).toEqual([0, 1])
    expect(labelsOf(metrics, 'rest_pool_wait_duration_seconds').length).toBeGreaterThan(0)
  })

  it('OpenTelemetry exports the same metrics as prom-client, and its own request metric has routes', async () => {
    const { output } = await run('Metrics with OpenTelemetry', 'otel', major)
    const metrics = (output as { name: string; points: Record<string, unknown>[] }[]).map(({ name, points }) => ({
      name,
      labels: points,
    }))
    const requests = labelsOf(metrics, 'http.server.request.duration')
    const of = ['http.request.method', 'http.route', 'http.response.status_code']
    for (const one of ['GET /v2/cosas/{id} 200', 'DELETE /v2/cosas/{id} 412', 'GET /v2/rotas/{id} 500']) {
      expect(requests.some(route(one, of)), `${one} in ${JSON.stringify(requests)}`).toBe(true)
    }
    expect(
      labelsOf(metrics, 'rest.adapter_call.duration').some(route('rotas read true', ['collection', 'call', 'failed'])),
    ).toBe(true)
    expect(labelsOf(metrics, 'rest.deprecated_requests')).toEqual([{ version: 'v1', client: '' }])
    expect(labelsOf(metrics, 'rest.slow_lists')).toEqual([{ collection: 'cosas', filters: 'a,b', read_whole: 't' }])
    for (const name of ['rest.pool_wait.duration', 'rest.pool_waiting', 'rest.stores_down'])
      expect(labelsOf(metrics, name), name).toHaveLength(1)
  })

  it('pino-http logs one line for each request, with its route (if known) but without parameter values', async () => {
    const { lines } = await run('Logs with pino-http', 'pino', major)
    const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    const answered = logged.filter(({ msg }) => msg === 'answered')
    // A line is logged when the socket has taken the response, so the order of the lines may differ
    // from the order of the requests.
    expect(
      answered.map(({ method, httpRoute, status, code }) => `${method} ${httpRoute} ${status} ${code}`).toSorted(),
    ).toEqual([
      'DELETE /v2/cosas/{id} 412 stale',
      'GET /v1/cosas/{id} 200 undefined',
      'GET /v2/cosas/{id} 200 undefined',
      'GET /v2/cosas/{id} 404 absent',
      'GET /v2/rotas/{id} 500 internal',
      'GET undefined 410 undefined',
    ])
    expect(new Set(logged.flatMap(({ reqId, requestId = reqId }) => [reqId, requestId]))).toEqual(new Set(['r-1']))
    const [failure] = logged.filter(({ level }) => level === 50)
    expect(failure?.msg).toMatch(
      /^GET \/v2\/rotas\/\{id\} 500 internal ERR-1 step=execute request=r-1 cause="Error at .* <- connect ECONNREFUSED 10\.0\.0\.7:5432" /,
    )
    expect(lines.join()).not.toMatch(/numero-privado|secreto|hunter2/)
  })

  it('morgan logs one line for each request, with its route (if known)', async () => {
    const { lines } = await run('Logs with morgan', 'morgan', major)
    expect(lines.map((line) => line.replace(/[\d.]+ ms/, 'T ms'))).toEqual([
      'GET /v2/cosas/{id} 200 - - T ms 1 queries r-1',
      'GET /v1/cosas/{id} 200 - - T ms 1 queries r-1',
      'GET /v2/cosas/{id} 404 absent VERB-1 T ms 1 queries r-1',
      expect.stringMatching(/^DELETE \/v2\/cosas\/\{id\} 412 stale HDR-3 T ms \d queries r-1$/),
      'GET /v2/rotas/{id} 500 internal ERR-1 T ms 1 queries r-1',
      'GET - 410 - - T ms - queries r-1',
    ])
  })

  it('Sentry gets one event for the 500 response, with tags and causes but without request data', async () => {
    const { output } = await run('Errors with Sentry', 'sentry', major)
    const items = (output as string[]).flatMap((envelope) =>
      envelope.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>),
    )
    const events = items.filter((item) => 'exception' in item)
    expect(events).toHaveLength(1)
    const [{ tags, exception }] = events as [
      { tags: unknown; exception: { values: { type: string; value: string }[] } },
    ]
    expect(tags).toEqual({
      method: 'GET',
      route: '/v2/rotas/{id}',
      step: 'execute',
      code: 'internal',
      clause: 'ERR-1',
      requestId: 'r-1',
    })
    expect(exception.values.map(({ value }) => value)).toContain('password=hunter2')
    expect(exception.values).toHaveLength(2)
    expect(JSON.stringify(output)).not.toMatch(/numero-privado|secreto/)
  })
})
