/** docs/performance.md, "Caches", beside the caches that there are. */
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
  it('has a row for every cache with its bound, in order, and no other', () => {
    expect(rows).toEqual(Object.entries(cacheKinds).map(([name, { bound, unit }]) => ({ name, bound, unit })))
  })

  it('names caches that are made, each in one place', () => {
    const files = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.ts'),
    )
    const made = files.flatMap((path) =>
      [...read(`src/${path}`).matchAll(/\.make(?:<[^()]*>)?\('([^']+)'/g)].map(([, name]) => name),
    )
    expect(made.toSorted()).toEqual(Object.keys(cacheKinds).toSorted())
  })

  it('has all of them: nothing else makes a cache', () => {
    const files = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.ts'),
    )
    expect(files.filter((path) => /\bnew Cache(?:<[^()]*>)?\(/.test(read(`src/${path}`)))).toEqual(['cache.ts'])
  })
})
