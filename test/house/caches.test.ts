/** Compares the table under "Caches" in docs/performance.md with the caches in the source. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { cacheKinds } from '../../src/cache.js'

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const [, section = ''] = /^## Caches\n(.*?)^## /ms.exec(read('docs/performance.md')) ?? []
const rows = [...section.matchAll(/^\| `([^`]+)` \| .+ \| ([\d,]+) (\w+) \| .+ \| .+ \|$/gm)].map(
  ([, name, bound = '', unit]) => ({
    name,
    bound: Number(bound.replaceAll(',', '')),
    unit,
  }),
)

describe('the table of caches', () => {
  it('has one row for each cache, with its bound, in the order of the source', () => {
    expect(rows).toEqual(Object.entries(cacheKinds).map(([name, { bound, unit }]) => ({ name, bound, unit })))
  })

  it('names exactly the caches in the source, each of which is created in one place', () => {
    const files = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.ts'),
    )
    const made = files.flatMap((path) =>
      [...read(`src/${path}`).matchAll(/\.make(?:<[^()]*>)?\('([^']+)'/g)].map(([, name]) => name),
    )
    expect(made.toSorted()).toEqual(Object.keys(cacheKinds).toSorted())
  })

  it('cannot miss a cache, because only cache.ts constructs caches', () => {
    const files = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.ts'),
    )
    expect(files.filter((path) => /\bnew Cache(?:<[^()]*>)?\(/.test(read(`src/${path}`)))).toEqual(['cache.ts'])
  })
})
