import fc from 'fast-check'
import { expect, it } from 'vitest'
import { acceptsCoding } from '../../src/http/accept-encoding.js'

it.each([
  [undefined, false],
  ['', false],
  ['identity', false],
  ['gzip', true],
  ['GZIP', true],
  ['x-gzip', true],
  ['br, gzip;q=0.5', true],
  ['br , gzip ; q=0.001', true],
  ['gzip;q=0', false],
  ['gzip;q=0.000, *', false],
  ['*', true],
  ['*;q=0', false],
  ['br, *;q=0', false],
  ['*;q=0, gzip', true],
  ['gzip;q=2', false],
  ['gzip;level=3', false],
  ['gzip x', false],
  ['"gzip"', false],
  [',, ,gzip', true],
  ['gzipp', false],
])('HDR-4: Accept-Encoding %j accepts gzip: %s (RFC 9110 12.5.3)', (field, expected) => {
  expect(acceptsCoding(field, 'gzip')).toBe(expected)
})

it('HDR-4: any Accept-Encoding can be parsed', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'gzip*;q=0.1,"\\ \tbr') }),
      (field) => typeof acceptsCoding(field, 'gzip') === 'boolean',
    ),
  )
})
