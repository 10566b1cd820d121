import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergedLife, resolveLife } from '../../src/plan/life.js'
import { namesIn, type Part, PartLives, useAddress } from '../../src/plan/part-lives.js'

const over = resolveLife('it', { retired: true })
const part = (template: string, methods: readonly string[] = [], hasOthers = true): Part => ({
  template,
  life: methods.length === 0 ? over : undefined,
  methods: new Map(methods.map((method) => [method, over as NonNullable<typeof over>])),
  hasOthers,
})

/**
 * The reference implementation for `PartLives`. It converts each template to a regular expression.
 */
function isGoneByTemplate(parts: readonly Part[], method: string, path: string): boolean {
  const plain = path.replace(/\/$/, '')
  const asked = method === 'HEAD' ? 'GET' : method
  return parts.some(({ template, life, methods, hasOthers }) => {
    const segments = template
      .split('/')
      .slice(1)
      .map((segment) => (segment.startsWith('{') ? '[^/]+' : segment))
    const shape = segments.map((segment) => `/${segment}`).join('')
    if (life !== undefined && new RegExp(`^${shape}(?:/.*)?$`).test(path)) return true
    const isExact = new RegExp(`^${shape}$`).test(plain)
    return isExact && (methods?.has(asked) === true || (!hasOthers && (methods?.size ?? 0) > 0))
  })
}

describe('PartLives', () => {
  it('VER-2: considers the same paths retired as the reference implementation', () => {
    const segment = fc.constantFrom('a', 'b', '{id}')
    // A name and an id at the same position would be two different routes. The route table never
    // contains such a pair.
    const template = fc
      .array(segment, { minLength: 1, maxLength: 4 })
      .map((segments) => segments.map((one, at) => (at % 2 === 1 ? '{id}' : one === '{id}' ? 'a' : one)))
      .map((segments) => `/${segments.join('/')}`)
    const one = fc.tuple(template, fc.subarray(['GET', 'POST', 'DELETE']), fc.boolean())
    const path = fc
      .array(fc.constantFrom('a', 'b', 'c', '7', ''), { maxLength: 6 })
      .map((segments) => segments.map((text) => `/${text}`).join(''))
    fc.assert(
      fc.property(
        fc.uniqueArray(one, { selector: ([name]) => name, maxLength: 5 }),
        path,
        fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS'),
        (given, target, method) => {
          const parts = given.map(([name, methods, hasOthers]) => part(name, methods, hasOthers))
          const lives = PartLives.of(parts)
          expect(lives?.isGone(method, target, 0) ?? false).toBe(isGoneByTemplate(parts, method, target))
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('VER-2: compares fixed segments in decoded form, and accepts an id that cannot be decoded', () => {
    const lives = PartLives.of([part('/añejo/{id}/b')])
    for (const path of ['/a%C3%B1ejo/1/b', '/añejo/1/b', '/a%c3%b1ejo/%zz/%62/', '/a%C3%B1ejo/%ff/b/c/d'])
      expect(lives?.isGone('GET', path, 0), path).toBe(true)
    for (const path of [
      '/a%C3%B1ejo/1',
      '/a%C3%B1ejo//b',
      '/A%C3%B1ejo/1/b',
      '/a%C3%B1ejo/1/%zz',
      '//añejo/1/b',
      '',
      '/',
    ])
      expect(lives?.isGone('GET', path, 0), path).toBe(false)
  })

  it('VER-2: combines two declarations for one path', () => {
    const lives = PartLives.of([part('/a/{id}', ['GET'], false), part('/a/{x}', ['PATCH'])])
    for (const method of ['GET', 'PATCH', 'OPTIONS', 'PUT']) expect(lives?.isGone(method, '/a/1', 0)).toBe(true)
    expect(lives?.isGone('GET', '/a', 0)).toBe(false)
  })

  it('VER-3: the deprecation of a path also applies below the path, if nothing else is declared there', () => {
    const life = resolveLife('it', { deprecated: { since: '2026-01-01', use: '/b/{id}' } })
    const lives = PartLives.of([{ template: '/a/{id}', life, hasOthers: true }])
    expect(lives?.at('GET', '/a/7/x/y')).toEqual({ life, template: '/a/{id}' })
    expect(lives?.at('GET', '/a')).toBeUndefined()
    expect(useAddress('/b/{id}', 'http://h/v1', namesIn('/a/{id}', '/a/7%2F8/x'))).toBe('http://h/v1/b/7%2F8')
    expect(useAddress('https://other/{id}', 'http://h/v1', new Map())).toBe('https://other/{id}')
  })

  it('VER-2: if two life cycles apply, the earlier dates count', () => {
    const [one, two] = [
      resolveLife('x', { retired: { since: '2027-01-01' } }),
      resolveLife('y', { deprecated: { since: '2026-01-01', sunset: '2026-06-01', use: 'z' } }),
    ]
    expect(mergedLife(one, two)).toEqual({
      deprecated: Date.parse('2026-01-01'),
      sunset: Date.parse('2026-06-01'),
      retired: Date.parse('2027-01-01'),
      use: 'z',
    })
    expect(mergedLife(undefined, undefined)).toBeUndefined()
    expect(PartLives.of([{ template: '/a', life: undefined, hasOthers: true }])).toBeUndefined()
  })
})
