import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { stepProblems } from '../../src/plan/endings.js'
import { configurationKinds, type ProblemCode, problemKinds } from '../../src/problem.js'
import { loginSteps, steps } from '../../src/router/walk.js'
import { violationKinds } from '../../src/violation.js'

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

describe('docs/errors.md', () => {
  const text = read('docs/errors.md')
  const headings = [...text.matchAll(/^<a id="([^"]+)"><\/a>\n### `([^`]+)`(?: \((\d+)\))?$/gm)].map(
    ([, anchor, code, status]) => ({
      anchor,
      code,
      status: status === undefined ? undefined : Number(status),
    }),
  )

  it('ERR-3: explains exactly the problems in the source, each with its status, at the anchor of its type URI', () => {
    const expected = Object.entries(problemKinds).map(([code, { status, clause }]) => ({
      anchor: `${clause}-${code}`,
      code,
      status,
    }))
    const documented = headings.filter((heading) => heading.status !== undefined)
    expect(documented.map((heading) => heading.code).sort()).toEqual(expected.map((kind) => kind.code).sort())
    expect(documented).toEqual(expect.arrayContaining(expected))
  })

  it('explains exactly the configuration errors in the source, each at its anchor', () => {
    const expected = Object.entries(configurationKinds).map(([code, clause]) => ({
      anchor: `${clause}-${code}`,
      code,
      status: undefined,
    }))
    const documented = headings.filter((heading) => heading.status === undefined)
    expect(documented.map((heading) => heading.code).sort()).toEqual(expected.map((kind) => kind.code).sort())
    expect(documented).toEqual(expect.arrayContaining(expected))
  })

  it('ERR-3: has a row for every violation code, with the params of the code, in the order of the source', () => {
    const section = text.slice(text.indexOf('## Violations'), text.indexOf('## Problems'))
    const rows = [...section.matchAll(/^\| `([^`]+)` \| (.*?) ?\| .{5,} \|$/gm)].map(([, code, params = '']) => [
      code,
      [...params.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    ])
    expect(rows).toEqual(Object.entries(violationKinds))
  })

  it('has text under each heading', () => {
    for (const section of text.split(/^<a id=/m).slice(1)) {
      const prose = section.split('\n').slice(2).join(' ').trim()
      expect(prose.length, section.split('\n')[1]).toBeGreaterThan(60)
    }
  })
})

describe('docs/lifecycle.md', () => {
  const ofLogins = loginSteps.map(({ name }) => name).filter((name) => steps.every((step) => step.name !== name))
  const names = [...steps.map(({ name }) => name), 'respond', 'fail', ...ofLogins]

  it('names every step in order', () => {
    const named = [...read('docs/lifecycle.md').matchAll(/^### (\w+)$/gm)].map(([, name]) => name)
    expect(named).toEqual(names)
  })

  it('says what each step reads and adds', () => {
    const cells = (text = '') => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name)
    const rows = [...read('docs/lifecycle.md').matchAll(/^\| (\w+) \| (.*?) \| (.*?) \| .*\|$/gm)].slice(1)
    const documented = rows.map(([, name, takes, adds]) => ({ name, takes: cells(takes), adds: cells(adds) }))
    const takenBy = (name: string) => {
      const signature = new RegExp(`^export (?:async )?function ${name}\\([^)]*?: (\\w+)[,)]`, 'm')
      return signature.exec(read(`src/router/steps/${name}.ts`))?.[1]
    }
    const addedBy = (name: string) => {
      const added: (string | symbol)[] = []
      const recorder = new Proxy({}, { set: (_, field) => added.push(field) > 0 })
      steps.find((step) => step.name === name)?.add(recorder as never, {})
      return added
    }
    const ofRequests = names.filter((name) => !ofLogins.includes(name))
    expect(documented).toEqual(ofRequests.map((name) => ({ name, takes: [takenBy(name)], adds: addedBy(name) })))
  })

  it('lists for each step exactly the problem statuses that OpenAPI documents describe', () => {
    const rows = [...read('docs/lifecycle.md').matchAll(/^\| (\w+) \|[^|]*\|[^|]*\| ([^|]*) \|$/gm)]
    const described = new Map(
      rows.map(([, name = '', cell = '']) => [name, [...cell.matchAll(/\b[45]\d\d\b/g)].map(Number)]),
    )
    for (const [name, endings] of Object.entries(stepProblems)) {
      const known: readonly { readonly code: ProblemCode }[] = endings
      const statuses = new Set(known.map(({ code }) => problemKinds[code].status))
      // No OpenAPI document describes the 404 response for an unknown version, because an unknown
      // version has no operations.
      if (name === 'version') statuses.add(404)
      expect(described.get(name), name).toEqual([...statuses].sort())
    }
  })

  it('names each step after its file', () => {
    for (const name of names) {
      expect(existsSync(new URL(`src/router/steps/${name}.ts`, root)), name).toBe(true)
    }
  })
})

describe('docs/clauses.md', () => {
  const text = read('docs/clauses.md')
  const rows = [
    ...text.matchAll(/^\| ((?:PATH|REP|VERB|QUERY|HDR|AUTH|ERR|LIMIT|VER)-\d+) \| (.+) \| (.+) \| (.+) \|$/gm),
  ]

  it('has a row for every clause', () => {
    const counts = { PATH: 11, REP: 8, VERB: 13, QUERY: 8, HDR: 8, AUTH: 6, ERR: 3, LIMIT: 1, VER: 3 }
    const expected = Object.entries(counts).flatMap(([group, count]) =>
      Array.from({ length: count }, (_, i) => `${group}-${i + 1}`),
    )
    expect(rows.map(([, id]) => id)).toEqual(expected)
  })

  it('names existing files that implement and test each clause', () => {
    for (const [, id, , implemented, tested] of rows) {
      for (const cell of [implemented, tested]) {
        const paths = [...(cell as string).matchAll(/`([^`]+)`/g)].map(([, path]) => path as string)
        for (const path of paths) expect(existsSync(fileURLToPath(new URL(path, root))), `${id}: ${path}`).toBe(true)
        if (!(cell as string).includes('later')) expect(paths.length, `${id}: ${cell}`).toBeGreaterThan(0)
      }
    }
  })

  it('names for each clause at least one test file that mentions the clause', () => {
    for (const [, id, , , tested] of rows) {
      const files = [...(tested as string).matchAll(/`([^`]+)`/g)].map(([, path]) => path as string)
      if (files.length === 0) continue
      expect(
        files.some((path) => new RegExp(`\\b${id}(?!\\d)`).test(read(path))),
        `${id} in ${files.join(', ')}`,
      ).toBe(true)
    }
  })
})
