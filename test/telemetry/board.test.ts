/**
 * Tests of the dashboard and the alerts in docs/. Each expression must be valid PromQL, and use
 * only metrics that the recipe "Metrics with prom-client" exports.
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parser } from '@prometheus-io/lezer-promql'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { freshSchema } from '../servers/databases.js'
import { freePort } from '../servers/free-port.js'
import { recipeFile } from './recipes.js'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly annotations: { readonly summary: string; readonly runbook: string }
}
interface Panel {
  readonly id: number
  readonly title: string
  readonly description: string
  readonly datasource: { readonly uid: string }
  readonly targets: readonly { readonly expr: string }[]
}

const { groups } = parse(read('docs/alert-rules.yaml')) as { groups: { name: string; rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const board = JSON.parse(read('docs/grafana-board.json')) as {
  panels: Panel[]
  templating: { list: { name: string }[] }
}
const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...board.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => [title, expr.replaceAll('$__rate_interval', '5m')] as const),
  ),
]

/** The metrics that an expression selects, and the labels that it matches or groups by. */
function selected(expr: string) {
  const found = { errors: [] as string[], metrics: [] as string[], labels: [] as string[] }
  const textOf = ({ from, to }: { from: number; to: number }) => expr.slice(from, to)
  parser.parse(expr).iterate({
    enter(node) {
      if (node.type.isError) found.errors.push(`${node.from}: ${textOf(node)}`)
      if (node.name === 'Identifier' && node.node.parent?.name === 'VectorSelector') found.metrics.push(textOf(node))
      if (node.name === 'LabelName') found.labels.push(textOf(node))
    },
  })
  return found
}

/** The labels of each metric of the recipe, by its name in Prometheus. */
const exported = new Map<string, Set<string>>()

beforeAll(async () => {
  const file = recipeFile('Metrics with prom-client')
  const place = await freshSchema()
  try {
    const program = fileURLToPath(new URL('example-metrics.mjs', import.meta.url))
    const away = `redis://127.0.0.1:${await freePort()}`
    const { stdout } = await promisify(execFile)(process.execPath, [program, file.path, place.url, away])
    const { statuses, metrics } = JSON.parse(stdout) as {
      statuses: number[]
      metrics: { name: string; values: { metricName?: string; labels: object }[] }[]
    }
    expect(statuses).toEqual([200, 412, 410, ...Array(15).fill(200)])
    for (const { name, values } of metrics) {
      for (const { metricName = name, labels } of values) {
        const known = exported.get(metricName) ?? new Set()
        exported.set(metricName, known)
        for (const label of Object.keys(labels)) known.add(label)
      }
    }
  } finally {
    file.remove()
    await place.drop()
  }
}, 60_000)

describe('the dashboard and the alerts', () => {
  it('alert names and panel ids are unique, and each panel uses the data source that the user chooses', () => {
    expect(rules.length).toBeGreaterThan(8)
    expect(board.panels.length).toBeGreaterThan(8)
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
    expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length)
    expect(board.panels.every(({ datasource: { uid } }) => uid === `\${${board.templating.list[0]?.name}}`)).toBe(true)
    for (const rule of rules) if (rule.for !== undefined) expect(rule.for).toMatch(/^\d+[smh]$/)
  })

  it.each(expressions)('the expression of "%s" is valid and uses exported metrics: %s', (_of, expr) => {
    const { errors, metrics, labels } = selected(expr)
    expect(errors).toEqual([])
    expect(metrics.length).toBeGreaterThan(0)
    for (const name of metrics) expect([...exported.keys()], name).toContain(name)
    const known = new Set(metrics.flatMap((name) => [...(exported.get(name) ?? [])]))
    expect(labels.filter((label) => !known.has(label))).toEqual([])
  })

  it('every metric of the recipe "Metrics with prom-client" occurs in an expression', () => {
    const asked = new Set(
      expressions.flatMap(([, expr]) =>
        selected(expr).metrics.map((name) => name.replace(/_(?:bucket|count|sum)$/, '')),
      ),
    )
    const all = new Set([...exported.keys()].map((name) => name.replace(/_(?:bucket|count|sum)$/, '')))
    expect([...all].filter((name) => !asked.has(name))).toEqual([])
  })

  it('the parser of this test reports invalid PromQL, and finds metrics and labels', () => {
    expect(selected('sum by (a (rate(x[5m]))').errors).not.toEqual([])
    expect(selected('sum by (a) (rate(x{b="1"}[5m]))')).toEqual({ errors: [], metrics: ['x'], labels: ['a', 'b'] })
  })

  it('each link of an alert or a panel leads to an existing page and section of the docs', () => {
    const anchors = [...read('docs/operations.md').matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, anchor]) => anchor)
    // Only the panel with the number of requests has no link, because it shows no fault.
    const withoutLink = board.panels.filter(({ description }) => description === '').map(({ title }) => title)
    expect(withoutLink).toEqual(['Requests by route'])
    const links = [
      ...rules.map(({ annotations }) => annotations.runbook),
      ...board.panels.map(({ description }) => description).filter((description) => description !== ''),
    ]
    for (const link of links) {
      const [path = '', anchor] = link.split('#')
      expect(path).toMatch(/^docs\/.+\.md$/)
      expect(existsSync(new URL(`../../${path}`, import.meta.url)), link).toBe(true)
      if (anchor !== undefined) expect(anchors, link).toContain(anchor)
    }
  })
})
