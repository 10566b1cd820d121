import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { didYouMean, nearMiss } from '../src/near-miss.js'

const allowed = ['lote', 'sucursalDeDistribucion', 'offest', 'limit', 'sort', 'q', 'fechaDesde']

describe('nearMiss', () => {
  it.each([
    ['offset', 'offest'],
    ['Limit', 'limit'],
    ['srot', 'sort'],
    ['lotes', 'lote'],
    ['sucursalDistribucion', 'sucursalDeDistribucion'],
  ])('QUERY-8: %s is close to %s', (name, expected) => {
    expect(nearMiss(name, allowed)).toBe(expected)
  })

  it.each(['', 'x', 'to', 'page', 'contrato', '__proto__', 'constructor'])(
    'QUERY-8: %j is close to no name',
    (name) => {
      expect(nearMiss(name, allowed)).toBeUndefined()
    },
  )

  it('QUERY-8: the closest name wins. If several names are equally close, the first one wins', () => {
    expect(nearMiss('lota', ['lata', 'lote', 'lotas'])).toBe('lata')
  })

  it.each([
    ['alg', ['kid', 'algorithm', 'key'], 'algorithm'],
    ['FEC', allowed, 'fechaDesde'],
    ['sortable', allowed, 'sort'],
  ])('QUERY-8: %s, in %j, is close to the only name that extends it or is a prefix of it', (name, names, near) => {
    expect(nearMiss(name, names)).toBe(near)
  })

  it.each([
    ['al', ['algorithm']],
    ['idempotency', ['id']],
    ['fecha', ['fechaDesde', 'fechaHasta']],
    ['fechaDesdeHoy', ['fecha', 'fechaDesdeHoyHasta', 'fechaDesdeHoyTambien']],
    ['goritmo', ['algoritmo-de-firma']],
  ])('QUERY-8: %s is close to no name in %j', (name, names) => {
    expect(nearMiss(name, names)).toBeUndefined()
  })

  it('QUERY-8: a name that differs in a few letters is closer than an extension', () => {
    expect(nearMiss('limitt', ['limit', 'limittless'])).toBe('limit')
  })

  it('QUERY-8: a name of more than 64 characters is close to no name', () => {
    expect(nearMiss('a'.repeat(65), ['a'.repeat(64)])).toBeUndefined()
    expect(nearMiss('a'.repeat(64), ['a'.repeat(63)])).toBe('a'.repeat(63))
  })

  it('QUERY-8: every suggestion is an allowed name', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (name, names) => {
        const found = nearMiss(name, names)
        if (found !== undefined) expect(names).toContain(found)
      }),
    )
  })
})

describe('didYouMean', () => {
  it('QUERY-8: suggests the closest name. Without one, it lists the allowed names or says that there are none', () => {
    expect(didYouMean('lote', allowed)).toBe('Did you mean "lote"?')
    expect(didYouMean(undefined, ['a', 'b'])).toBe('Allowed: a, b.')
    expect(didYouMean(undefined, [])).toBe('No names are allowed here.')
  })
})
