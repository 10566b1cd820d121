/**
 * The recipe of docs/observability.md for spans of steps and adapter calls, with the real SDK and
 * PostgreSQL.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { freshSchema } from '../servers/databases.js'
import { recipeFile } from './recipes.js'

interface Span {
  readonly name: string
  readonly id: string
  readonly parent: string | null
  readonly events: readonly string[]
}

it('a request span contains step spans, which contain adapter-call spans, which contain spans of pg', async () => {
  const file = recipeFile('Spans with OpenTelemetry')
  const place = await freshSchema()
  try {
    const program = fileURLToPath(new URL('traced-work.mjs', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [program, file.path, place.url])
    const { statuses, spans } = JSON.parse(stdout) as { statuses: number[]; spans: Span[] }
    expect(statuses).toEqual([200, 200, 404, 200, 200, 200])
    const byId = new Map(spans.map((span) => [span.id, span]))
    const pathOf = ({ name, parent }: Span): string => {
      const above = parent === null ? undefined : byId.get(parent)
      return above === undefined ? name : `${pathOf(above)} > ${name}`
    }
    const queries = spans
      .filter(({ name }) => name.startsWith('pg'))
      .map((span) => pathOf(span).replace(/ > pg\S*.*$/, ''))
    expect(queries.toSorted()).toEqual([
      ...Array(2).fill('GET /v1/cosas > execute > cosas.list'),
      ...Array(6).fill('GET /v1/cosas/{id} > execute > cosas.read'),
      ...Array(4).fill('PATCH /v1/cosas/{id} > execute > cosas.read'),
      ...Array(4).fill('PATCH /v1/cosas/{id} > execute > cosas.replace'),
    ])
    const failed = spans.filter(({ events }) => events.includes('exception')).map(pathOf)
    expect(failed).toEqual(['GET /v1/cosas/{id} > execute'])
    // Only the spans of requests have no parent.
    const tops = spans.filter(({ parent }) => parent === null || !byId.has(parent)).map(({ name }) => name)
    expect(tops.toSorted()).toEqual([
      'GET /v1/cosas',
      ...Array(3).fill('GET /v1/cosas/{id}'),
      ...Array(2).fill('PATCH /v1/cosas/{id}'),
    ])
    const steps = spans.filter(({ name }) => name === 'represent').map(pathOf)
    expect(new Set(steps)).toEqual(
      new Set(['GET /v1/cosas > represent', 'GET /v1/cosas/{id} > represent', 'PATCH /v1/cosas/{id} > represent']),
    )
  } finally {
    file.remove()
    await place.drop()
  }
})
